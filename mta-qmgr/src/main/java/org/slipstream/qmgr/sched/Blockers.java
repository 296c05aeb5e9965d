package org.slipstream.qmgr.sched;

/// Jobs that cannot go because every destination they wait for is busy.
///
/// A blocked job stays where it is in the order of service, is passed over, and may not preempt. To notice when it could go
/// again one would have to keep, for each destination, who waits because of it. Postfix keeps a number instead: a blocked
/// job and all destinations it waits for are marked with the transport's current **tag** (PF-52). When an entry of a marked
/// destination is finished and there is room again, the tag is raised by 2: in one stroke *all* marks of the
/// transport are void, and the search starts again at the head of the list. Those still blocked will be marked again,
/// one by one, when the search comes by (PF-51).
///
/// So a mark is a memory of a search, not a fact about the world, and may be stale in one direction only: a marked job may have
/// become able to go for a moment, until the check at the end of the same event clears it.
final class Blockers {
    /// Odd. Jobs and lines are born with 0 and so unmarked.
    int tag = 1;

    void mark(Job job) {
        job.blockerTag = tag;
        Peer peer = job.turn;
        do {
            if (peer.waiting > 0) {
                peer.line.blockerTag = tag;
            }
            peer = peer.next;
        } while (peer != job.turn);
    }

    /// True when it was marked.
    boolean unmark(Job job) {
        boolean was = job.blockerTag == tag;
        job.blockerTag = 0;
        return was;
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
