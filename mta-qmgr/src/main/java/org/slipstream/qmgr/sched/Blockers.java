package org.slipstream.qmgr.sched;

/// Jobs that cannot go because every destination they wait for is busy.
///
/// A blocked job stays where it is in the order of service, is passed over, and may not preempt. To notice when it could go
/// again one would have to keep, for each destination, who waits because of it. Postfix keeps a number instead: a blocked
/// job and all destinations it waits for are marked with the transport's current **tag** (PF-52). When an entry of a marked
/// destination is finished and there is room again, the tag is raised by 2: in one stroke *all* marks of the
/// transport are void, and the search starts again at the head of the list. Those still blocked will be marked again,
/// one by one, when the search comes by (PF-51), or all at once where they are a [Crowd].
///
/// So a mark is a memory of a search, not a fact about the world, and may be stale in one direction only: a marked job may have
/// become able to go for a moment, until the check at the end of the same event clears it.
final class Blockers {
    /// Odd. Jobs and lines are born with 0 and so unmarked.
    int tag = 1;

    private final boolean crowds;

    /// @param crowds whether neighbours that wait for the same are marked as one; makes no difference but in time
    Blockers(boolean crowds) {
        this.crowds = crowds;
    }

    boolean isMarked(Job job) {
        return job.blockerTag == tag || job.crowd != null && job.crowd.blockerTag == tag;
    }

    /// Marks a job, and with it those behind it of whom it is known that they are blocked as well. The last of them is returned.
    Job mark(Job job) {
        Crowd crowd = job.crowd;
        if (crowd != null && crowd.isBlocked()) {
            mark(crowd);
            return crowd.last;
        }
        if (!isMarked(job)) {
            markAlone(job);
        }
        return job;
    }

    private void markAlone(Job job) {
        job.blockerTag = tag;
        Line only = null;
        int doors = 0;
        Peer peer = job.turn;
        do {
            if (peer.waiting > 0) {
                peer.line.blockerTag = tag;
                only = peer.line;
                doors++;
            }
            peer = peer.next;
        } while (peer != job.turn);
        if (crowds && doors == 1 && !job.message.isPartlyUnread() && (job.crowd == null || job.crowd.isDissolved())) {
            gather(job, only);
        }
    }

    private static void gather(Job job, Line door) {
        Job neighbour = job.previous;
        if (neighbour != null && neighbour.crowd != null && neighbour.crowd.endsWith(neighbour, door)) {
            neighbour.crowd.append(job);
        } else {
            new Crowd(job, door);
        }
    }

    /// Everybody in front of a job that a search has come to is marked already, so it makes no difference that the whole
    /// crowd is and not only the part from here on.
    private void mark(Crowd crowd) {
        if (crowd.blockerTag != tag) {
            crowd.blockerTag = tag;
            crowd.line.blockerTag = tag;
        }
    }

    /// Known to be blocked without looking at it. ([#mark] then says how far that is true.)
    boolean isKnown(Job job) {
        return isMarked(job) || job.crowd != null && job.crowd.isBlocked();
    }

    /// True when it was marked. It has new work and belongs to no crowd.
    boolean unmark(Job job) {
        boolean was = isMarked(job);
        if (job.crowd != null) {
            job.crowd.leave(job, false);
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
        if (job.crowd != null) {
            job.blockerTag = isMarked(job) ? tag : job.blockerTag;
            job.crowd.leave(job, theList);
        }
    }

    /// All blocked jobs of the transport have another chance.
    void freeAll() {
        tag += 2;
    }

    /// Something happened at this line. True when all blocked jobs of the transport have another chance.
    boolean free(Line line, boolean dead) {
        if (line.blockerTag != tag) {
            return false;
        }
        boolean all = line.isOpen();
        if (all) {
            freeAll();
        }
        if (line.hasRoom() || dead) {
            line.blockerTag = 0;
        }
        return all;
    }
}
