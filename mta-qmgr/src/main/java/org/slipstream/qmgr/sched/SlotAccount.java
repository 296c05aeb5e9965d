package org.slipstream.qmgr.sched;

/// A job's account of delivery slots, which limits how much mail may preempt it.
///
/// **The idea** (Patrik Rak, Postfix scheduler). Small mail should not wait behind bulk mail, at a
/// small cost for bulk mail. So a job earns the right *to be preempted*: each entry taken from it
/// earns one unit, and for every k units (`delivery_slot_cost`) it may let one entry of another job
/// go first. Slots must be earned before they are used: a job that has just started cannot be
/// preempted at all, and one that has run for long can be preempted often.
///
/// **The bound.** A job of n entries earns n units, n/k slots, so at most n/k entries of other jobs
/// go before its own. Those jobs earn while they run and may be preempted in turn: n/k entries earn
/// n/k² slots, and so on. In total
///
///     n + n/k + n/k² + n/k³ + …  =  n · k/(k−1)
///
/// With k = 5 bulk mail is delayed by a quarter at most, with any arrivals and any recursion
/// (PF-41). Spaced starts let a k-th more go first, and the bound is then a half (ADR 25). With k =
/// 2 it is a factor of two; k = 1 has no bound and therefore disables preemption. Without recursion
/// the factor would be (k+1)/k.
///
/// **Price.** To let a job with m entries pass costs m · k units, *at once*, whatever was granted:
/// a loan lets the job pass before the units are earned and a discount when a part of them is
/// earned, but both affect only the *time*. The balance then becomes negative, and must be positive
/// again before another job may pass. A job that costs more than the rest of this one can still earn
/// is no [candidate][CandidateSearch], so every account ends at 0 or above, and the bound holds with
/// any loan and discount. `docs/theory.md` has the proof.
///
/// **Refund.** The use of a preempting job is not known when it passes: it may lose entries to a
/// dead destination or get more of them read. So its own account opens at −m and counts up with
/// each entry taken; when it leaves, the final balance of that count, times k, is refunded to the
/// job it passed, or charged (PF-49). As in Postfix, this needs no other state.
///
/// All figures are in units of taken entries, before division by k; balances are signed.
final class SlotAccount {
    /// Earned and unspent units; may be negative.
    int balance;

    /// Entries taken since this job last preempted another, less those that were paid for in
    /// advance.
    int used;

    /// One of the job's own entries was taken.
    void earn() {
        balance++;
        used++;
    }

    /// Another job with this number of entries passes.
    void pay(int entries, int cost) {
        balance -= entries * cost;
    }

    /// This job passes another, which has paid for this number of entries.
    void openAdvance(int entries) {
        used = -entries;
    }

    /// The job that passed this one leaves; unused entries are refunded.
    void settle(SlotAccount passed, int cost) {
        balance -= passed.used * cost;
    }

    int wholeSlots(int cost) {
        return balance / cost;
    }
}
