package org.slipstream.qmgr.sched;

/// Jobs that cannot go because every destination they wait for is busy.
///
/// A blocked job stays where it is in the order of service, is passed over, and may not preempt. To find the jobs that can go
/// again, each destination would need a list of the jobs that wait because of it. Postfix keeps a number instead: a blocked
/// job and all destinations it waits for are marked with the transport's current **tag** (PF-52). When an entry of a marked
/// destination is finished and there is room again, the tag is raised by 2: in one stroke *all* marks of the
/// transport are void, and the search starts again at the head of the list. Those still blocked will be marked again,
/// one by one, when the search comes by (PF-51), or all at once where they are a [BlockedRun].
///
/// So a mark is a memory of a search, not a fact about the world, and may be stale in one direction only: a marked job may have
/// become able to go for a moment, until the check at the end of the same event clears it.
final class Blockers {
    /// Odd. Jobs and lines are born with 0 and so unmarked.
    int tag = 1;

    private final boolean marksRuns;

    /// @param marksRuns a run of neighbours that wait for the same destination is marked at once; the decisions are the same
    Blockers(boolean marksRuns) {
        this.marksRuns = marksRuns;
    }

    boolean isMarked(Job job) {
        return job.blockerTag == tag || job.run != null && job.run.blockerTag == tag;
    }

    /// Marks a job, and with it those behind it of whom it is known that they are blocked as well. The last of them is returned.
    Job mark(Job job) {
        BlockedRun run = job.run;
        if (run != null && run.isBlocked()) {
            mark(run);
            return run.last;
        }
        if (!isMarked(job)) {
            markAlone(job);
        }
        return job;
    }

    private void markAlone(Job job) {
        job.blockerTag = tag;
        DestinationQueue only = null;
        int destinations = 0;
        Peer peer = job.turn;
        do {
            if (peer.waiting > 0) {
                peer.queue.blockerTag = tag;
                only = peer.queue;
                destinations++;
            }
            peer = peer.next;
        } while (peer != job.turn);
        if (marksRuns && destinations == 1 && !job.message.isPartlyUnread()
                && (job.run == null || job.run.isDissolved())) {
            gather(job, only);
        }
    }

    private static void gather(Job job, DestinationQueue destination) {
        Job neighbour = job.previous;
        if (neighbour != null && neighbour.run != null && neighbour.run.endsWith(neighbour, destination)) {
            neighbour.run.append(job);
        } else {
            new BlockedRun(job, destination);
        }
    }

    // All jobs in front of one that a search has come to are marked already, so the whole run can be marked and not only the
    // part from here on.
    private void mark(BlockedRun run) {
        if (run.blockerTag != tag) {
            run.blockerTag = tag;
            run.queue.blockerTag = tag;
        }
    }

    /// Known to be blocked without looking at it. ([#mark] then says how far that is true.)
    boolean isKnown(Job job) {
        return isMarked(job) || job.run != null && job.run.isBlocked();
    }

    /// True when it was marked. It has new work and belongs to no run.
    boolean unmark(Job job) {
        boolean was = isMarked(job);
        if (job.run != null) {
            job.run.leave(job, false);
        }
        job.blockerTag = 0;
        return was;
    }

    /// It has less to do than before; a mark it has it keeps.
    void changed(Job job) {
        leave(job, false);
    }

    /// It is about to leave its place in the list.
    void leaves(Job job) {
        leave(job, true);
    }

    private void leave(Job job, boolean theList) {
        if (job.run != null) {
            job.blockerTag = isMarked(job) ? tag : job.blockerTag;
            job.run.leave(job, theList);
        }
    }

    /// All blocked jobs of the transport have another chance.
    void freeAll() {
        tag += 2;
    }

    /// Something happened at this line. True when all blocked jobs of the transport have another chance.
    boolean free(DestinationQueue queue, boolean dead) {
        if (queue.blockerTag != tag) {
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
