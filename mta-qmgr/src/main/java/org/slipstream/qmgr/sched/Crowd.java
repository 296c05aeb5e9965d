package org.slipstream.qmgr.sched;

/// Neighbours on the list that all wait for one and the same destination and for nothing else.
///
/// **Why.** When ten thousand letters wait for one slow server, each delivery there makes every mark void, and the next search walks past
/// all ten thousand to mark them again. What it learns is ten thousand times the same: that door is closed. So neighbours that were
/// found blocked by the same door alone form a crowd, and a search that meets a crowd before its closed door marks it and passes it
/// as one.
///
/// **Who belongs.** A job that is read to its end and has waiting entries at one destination only: as long as the door is
/// closed a search could do nothing at it but mark it. Whoever gets more work, or loses some, leaves.
///
/// **Neighbours.** Members stand side by side, nobody else between them. One that leaves the list leaves the others side by side;
/// when somebody steps in between, or one in the middle stays where it is and is no member any more, the crowd is dissolved: its marks
/// hold, but it is not passed as one again. The next search finds its members one by one and makes new crowds of them.
final class Crowd {
    final Line line;
    Job last;
    private Job first;
    private boolean dissolved;

    /// Equal to the transport's tag: all members are marked.
    int blockerTag;

    Crowd(Job only, Line line) {
        this.line = line;
        this.first = only;
        this.last = only;
        only.crowd = this;
    }

    /// Adds the job behind the last.
    void append(Job job) {
        last = job;
        job.crowd = this;
    }

    /// All of them are blocked, for the reason that made them a crowd.
    boolean isBlocked() {
        return !dissolved && !line.isOpen();
    }

    boolean isDissolved() {
        return dissolved;
    }

    boolean endsWith(Job job, Line door) {
        return !dissolved && last == job && line == door;
    }

    /// The job leaves the list, or stays and waits for something else from now on.
    void leave(Job job, boolean theList) {
        job.crowd = null;
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

    /// Somebody is about to stand between these two, either of which may be none.
    static void separate(Job front, Job behind) {
        if (front != null && behind != null && front.crowd != null && front.crowd == behind.crowd) {
            front.crowd.dissolved = true;
        }
    }
}
