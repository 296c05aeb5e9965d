package org.slipstream.qmgr.sched;

import org.jspecify.annotations.Nullable;
import org.slipstream.qmgr.sched.JobsSnapshot.PassedJob;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/// Decides when a job preempts the current one, and charges the price.
///
/// **Before every selection** the current job, the one that gave the previous entry, may let
/// another job pass (PF-42, PF-43). Four conditions must hold:
///
/// 1. it has earned something: its balance is positive, so at least one of its own entries went
///   first, whatever the loan;
/// 2. it is large enough: a job too small to earn the minimum of slots is never preempted (PF-44);
/// 3. there is a candidate; only the [best][CandidateSearch] one is considered;
/// 4. it can afford the candidate: whole slots plus loan cover the candidate's entries less the
///   discount (PF-47).
///
/// The candidate then moves directly before the current job, becomes the current job itself, and
/// the full price is charged (PF-48, [SlotAccount]).
///
/// **The tree.** A preempting job may be preempted in turn, and a job may let several pass. Parent
/// and children record which job paid for which; the list alone determines the order of service
/// (PF-54). When a job leaves from the middle of the tree, its children move to its parent, and
/// keep their level. A child that is not exactly one level above its parent was paid for by another
/// job, and returns nothing to this one. When a job at the bottom leaves, its children have no
/// parent (PF-53).
///
/// ```
///   7  lets 4 pass, 4 lets 8 pass:    8 → 4 → 7      levels 2, 1, 0
///   4  is done first:                 8 → 7          levels 2, 0: adopted, no refund to 7
///   8  is done:                       7
/// ```
///
/// The remaining difference, when one job pays for another and leaves first, is small and favours
/// no job; the published bound does not count it.
final class Preemption {
    /// Preemptions that are remembered for operators.
    private static final int REMEMBERED = 16;

    private final Transport transport;
    private final boolean allowed;
    private final JobList jobs;
    private final CandidateSearch candidates;
    private final RecipientPool pool;
    private final SchedTrace trace;
    private final Deque<PassedJob> latest = new ArrayDeque<>();
    private long count;

    /// @param allowed false disables preemption
    Preemption(Transport transport, boolean allowed, JobList jobs, CandidateSearch candidates, RecipientPool pool,
            SchedTrace trace) {
        this.transport = transport;
        this.allowed = allowed;
        this.jobs = jobs;
        this.candidates = candidates;
        this.pool = pool;
        this.trace = trace;
    }

    /// The job to serve: the given one, or the one that preempts it now.
    Job attempt(Job current, long nowMillis) {
        ServiceRules rules = transport.rules();
        if (!allowed || !rules.preempts() || current.slots.balance <= 0
                || current.mostEntries() < rules.minimumSlots() * rules.slotCost()) {
            return current;
        }
        int fit = (current.read - current.selected + current.slots.balance) / rules.slotCost();
        Job candidate = candidates.best(current, fit, Math.floorDiv(nowMillis, 1_000)).orElse(current);
        if (candidate == current || !canAfford(current, candidate)) {
            return current;
        }
        letPass(current, candidate, nowMillis);
        return candidate;
    }

    private boolean canAfford(Job current, Job candidate) {
        ServiceRules rules = transport.rules();
        double need = candidate.mostEntriesLeft() * (100 - rules.slotDiscountPercent()) / 100.0;
        return current.slots.wholeSlots(rules.slotCost()) + rules.slotLoan() >= need;
    }

    private void letPass(Job current, Job candidate, long nowMillis) {
        int entries = candidate.mostEntriesLeft();
        candidates.leaves(candidate);
        if (candidate.level > 0) {
            leaveTree(candidate);
        }
        jobs.moveInFrontOf(current, candidate);
        current.adopt(candidate);
        candidate.level = current.level + 1;
        current.slots.pay(entries, transport.rules().slotCost());
        candidate.slots.openAdvance(entries);
        if (candidate.message.isPartlyUnread()) {
            pool.lendExtraTo(candidate);
        }
        candidates.changed(current);
        candidates.changed(candidate);
        remember(new PassedJob(++count, nowMillis, current.message.id, candidate.message.id, candidate.level,
                current.slots.balance));
        trace.preempted(current.message, candidate.message, transport.name(), candidate.level, current.slots.balance);
    }

    private void remember(PassedJob passed) {
        if (latest.size() == REMEMBERED) {
            latest.removeLast();
        }
        latest.addFirst(passed);
    }

    long count() {
        return count;
    }

    List<PassedJob> latest() {
        return List.copyOf(latest);
    }

    /// Removes a job at a level above 0 from the tree and settles its account. Its place on the
    /// list stays.
    void leaveTree(Job job) {
        Job parent = job.parent;
        if (parent != null) {
            if (job.level == parent.level + 1) {
                parent.slots.settle(job.slots, transport.rules().slotCost());
            }
            parent.children.remove(job);
        }
        handOver(job, parent);
        job.parent = null;
        job.level = 0;
        if (parent != null) {
            candidates.changed(parent);
        }
    }

    /// A job is about to leave the list.
    void leave(Job job) {
        if (job.level > 0) {
            leaveTree(job);
        } else {
            handOver(job, null);
        }
    }

    private static void handOver(Job job, @Nullable Job parent) {
        for (Job child : job.children) {
            if (parent == null) {
                child.parent = null;
            } else {
                parent.adopt(child);
            }
        }
        job.children = Job.CHILDLESS;
    }
}
