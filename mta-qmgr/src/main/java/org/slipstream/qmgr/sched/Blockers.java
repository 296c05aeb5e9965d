package org.slipstream.qmgr.sched;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/// The blocked jobs of a transport: every destination that they wait for is busy.
///
/// A blocked job keeps its place in the order of service, is skipped, and may not preempt. To find
/// the jobs that become ready again, each destination would need a list of the jobs that wait for
/// it. Postfix keeps a number instead: a blocked job and all destinations that it waits for are
/// marked with the transport's current **tag** (PF-52). When an entry of a marked destination
/// finishes and the window permits another, the tag is raised by 2. This voids *all* marks of the
/// transport at once, and the search restarts at the head of the list. Jobs that are still blocked
/// are marked again when the search reaches them (PF-51), one by one or as a [BlockedRun].
///
/// A mailing may wait for ten thousand destinations, and is blocked again with each event as long as it has its share
/// of the connections. So the destinations of such a job are not marked: the job is kept, and an event asks it.
///
/// So a mark is the result of a search, and may be stale in one direction only: a marked job may
/// have become ready for a moment, until the check at the end of the same event clears it.
final class Blockers {
    /// Always odd; jobs and queues start with 0, which is unmarked.
    int tag = 1;

    /// A job with more destinations than this is asked.
    private static final int MANY = 64;

    private final boolean marksRuns;

    /// Marked jobs with many destinations, and the tag that they were marked with. Recipients in memory are limited,
    /// so there are few.
    private final Set<Job> broad = new LinkedHashSet<>();
    private int broadTag;

    /// @param marksRuns a run of adjacent jobs that wait for the same destination is marked at
    /// once; the decisions are the same
    Blockers(boolean marksRuns) {
        this.marksRuns = marksRuns;
    }

    boolean isMarked(Job job) {
        return job.blockerTag == tag || job.run != null && job.run.blockerTag == tag;
    }

    /// Marks a job, and with it the following jobs that are known to be blocked as well. Returns
    /// the last of them.
    ///
    /// @param limit the only reason, when it is a limit of messages
    Job mark(Job job, Optional<Blocker> limit) {
        BlockedRun run = job.run;
        if (run != null && run.isBlocked()) {
            mark(run);
            return run.last;
        }
        if (!isMarked(job)) {
            limit.ifPresentOrElse(each -> markFor(job, each), () -> markAlone(job));
        }
        return job;
    }

    /// True when a job that is known to be blocked waits for a limit of messages.
    boolean waitsForLimit(Job job) {
        return job.run != null && !(job.run.blocker instanceof DestinationQueue);
    }

    // An event at the destination does not change the limit, so the destination is not marked.
    private void markFor(Job job, Blocker limit) {
        job.blockerTag = tag;
        gatherIfWhole(job, limit);
    }

    private void markAlone(Job job) {
        job.blockerTag = tag;
        if (marksRuns && job.peerCount() > MANY) {
            keep(job);
            return;
        }
        DestinationQueue only = null;
        boolean several = false;
        for (Peer peer = job.turn; peer != null; peer = job.after(peer)) {
            if (peer.waiting > 0) {
                peer.queue.blockerTag = tag;
                several = only != null;
                only = peer.queue;
            }
        }
        if (only != null && !several) {
            gatherIfWhole(job, only);
        }
    }

    private void gatherIfWhole(Job job, Blocker only) {
        if (marksRuns && !job.message.isPartlyUnread() && (job.run == null || job.run.isDissolved())) {
            gather(job, only);
        }
    }

    private void keep(Job job) {
        if (broadTag != tag) {
            broadTag = tag;
            broad.clear();
        }
        broad.add(job);
    }

    private boolean isAwaitedByBroad(DestinationQueue queue) {
        return broadTag == tag && broad.stream().anyMatch(
                job -> isMarked(job) && job.peer(queue).filter(peer -> peer.waiting > 0).isPresent());
    }

    private static void gather(Job job, Blocker blocker) {
        Job neighbour = job.previous;
        if (neighbour != null && neighbour.run != null && neighbour.run.endsWith(neighbour, blocker)) {
            neighbour.run.append(job);
        } else {
            new BlockedRun(job, blocker);
        }
    }

    // A search marks all jobs before the current one, so the whole run can be marked, not only its
    // rest.
    private void mark(BlockedRun run) {
        if (run.blockerTag != tag) {
            run.blockerTag = tag;
            if (run.blocker instanceof DestinationQueue queue) {
                queue.blockerTag = tag;
            }
        }
    }

    /// True when the job is known to be blocked. ([#mark] returns how far that is true.)
    boolean isKnown(Job job) {
        return isMarked(job) || job.run != null && job.run.isBlocked();
    }

    /// Clears the mark of a job that got new entries, and removes it from its run. True when it was
    /// marked.
    boolean unmark(Job job) {
        boolean was = isMarked(job);
        if (job.run != null) {
            job.run.leave(job, false);
        }
        job.blockerTag = 0;
        return was;
    }

    /// A job lost entries; its mark remains.
    void changed(Job job) {
        leave(job, false);
    }

    /// A job is about to leave its place in the list.
    void leaves(Job job) {
        leave(job, true);
    }

    private void leave(Job job, boolean theList) {
        if (job.run != null) {
            job.blockerTag = isMarked(job) ? tag : job.blockerTag;
            job.run.leave(job, theList);
        }
    }

    /// Voids the marks of all blocked jobs of the transport.
    void freeAll() {
        tag += 2;
    }

    /// An event at this destination. True when it voided the marks of all blocked jobs of the
    /// transport.
    boolean free(DestinationQueue queue, boolean dead) {
        if (queue.blockerTag != tag && !isAwaitedByBroad(queue)) {
            return false;
        }
        boolean all = queue.isOpen();
        if (all) {
            freeAll();
        }
        if (queue.hasRoom() || dead) {
            queue.blockerTag = 0;
        }
        return all;
    }
}
