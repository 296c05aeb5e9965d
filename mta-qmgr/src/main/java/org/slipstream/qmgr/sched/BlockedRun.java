package org.slipstream.qmgr.sched;

/// A run of neighbours on the list that wait for one and the same destination and for nothing else.
///
/// **Why.** When ten thousand messages wait for one slow server, each delivery there makes every mark void, and the next search
/// walks past all ten thousand to mark them again. The walk finds the same answer ten thousand times: that destination has no
/// room. So neighbours that were found blocked by the same destination alone form a run. A search that meets a run while its
/// destination has no room marks all of it at once and goes on behind it.
///
/// **Members.** A job that is read to its end and has waiting entries at one destination only: as long as that destination has no
/// room, a search could only mark the job. A job that gets more work, or loses some, leaves.
///
/// **Neighbours.** Members stand side by side, with no other job between them. A member that leaves the list leaves the others side
/// by side. When another job steps in between, or a member in the middle stays on the list and waits for something else, the run is
/// dissolved: its marks hold, but a search looks at each of its jobs again and forms new runs of them.
final class BlockedRun {
    final DestinationQueue queue;
    Job last;
    private Job first;
    private boolean dissolved;

    /// Equal to the transport's tag: all members are marked.
    int blockerTag;

    BlockedRun(Job only, DestinationQueue queue) {
        this.queue = queue;
        this.first = only;
        this.last = only;
        only.run = this;
    }

    /// Adds the job behind the last.
    void append(Job job) {
        last = job;
        job.run = this;
    }

    /// All of them are blocked, because their destination has no room.
    boolean isBlocked() {
        return !dissolved && !queue.isOpen();
    }

    boolean isDissolved() {
        return dissolved;
    }

    boolean endsWith(Job job, DestinationQueue destination) {
        return !dissolved && last == job && queue == destination;
    }

    /// The job leaves the list, or stays there and waits for something else from now on.
    void leave(Job job, boolean theList) {
        job.run = null;
        if (first == last) {
            dissolved = true;
        } else if (job == first) {
            first = job.next;
        } else if (job == last) {
            last = job.previous;
        } else if (!theList) {
            dissolved = true;
        }
    }

    /// Another job is about to stand between these two, either of which may be none.
    static void separate(Job front, Job behind) {
        if (front != null && behind != null && front.run != null && front.run == behind.run) {
            front.run.dissolved = true;
        }
    }
}
