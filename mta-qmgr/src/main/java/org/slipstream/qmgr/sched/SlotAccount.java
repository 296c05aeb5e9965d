package org.slipstream.qmgr.sched;

/// A job's savings of delivery slots: the theory of who may pass whom.
///
/// **The idea** (Patrik Rak, Postfix scheduler). Small mail shall not wait behind bulk mail, and bulk mail shall not pay more
/// for that than it hardly notices. So a job earns the right *to be preempted*: each time one of its entries is taken
/// it earns one unit, and for every k units (`delivery_slot_cost`) it may let one entry of somebody else go first. Nobody
/// can take what has not been earned; a job that has just begun cannot be pushed back at all, and one that has been
/// going for long can afford a crowd.
///
/// **The bound.** A job of n entries earns n units, n/k slots, so at most n/k entries of others go in front of its own. Those
/// others earn while they go and may be preempted in turn: n/k entries are worth n/k² slots, and so on without end.
/// All that ever passes is
///
///     n + n/k + n/k² + n/k³ + …  =  n · k/(k−1)
///
/// With k = 5 bulk mail is late by a quarter at most, whatever arrives and however recursively (PF-41). With k = 2 it is
/// a factor of two; k = 1 would be no bound and therefore turns preemption off. Without recursion the factor would be
/// (k+1)/k.
///
/// **Price.** To let a job with m entries pass costs m · k units, *at once*, whatever was granted: a loan lets the
/// job pass before the units are there and a discount lets it pass when a part of them is there, but both act on *when*
/// only. The balance then becomes negative, and the debt is worked off before anybody else may pass. The bound holds
/// with a constant on top, the largest debt.
///
/// **Refund.** What a preempting job uses is not known when it passes: it may lose entries to a dead destination or get more
/// of them read. So its own account opens at −m and counts up with each entry taken; when it leaves, the final balance of
/// that count, times k, is given back to the job it passed, or charged (PF-49). The original needs no second look at
/// anything for that, nor do we.
///
/// All figures are in units of taken entries, before division by k; balances are signed.
final class SlotAccount {
    /// What others may use: earned and not spent. Negative while in debt.
    int balance;

    /// Entries taken since this job last stepped in front of another, less those that were paid for in advance.
    int used;

    /// One of the job's own entries was taken.
    void earn() {
        balance++;
        used++;
    }

    /// Another job with so many entries passes.
    void pay(int entries, int cost) {
        balance -= entries * cost;
    }

    /// The job itself passes another, which has paid for so many entries.
    void openAdvance(int entries) {
        used = -entries;
    }

    /// The job that passed this one is done; what it did not use comes back.
    void settle(SlotAccount passed, int cost) {
        balance -= passed.used * cost;
    }

    int wholeSlots(int cost) {
        return balance / cost;
    }
}
