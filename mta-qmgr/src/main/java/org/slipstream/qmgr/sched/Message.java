package org.slipstream.qmgr.sched;

import org.slipstream.core.QueueId;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// An active message as the order of service sees it: how much of it is in memory, and its jobs.
public final class Message {
    final QueueId id;

    /// Activation number: smaller has been active for longer. Jobs are served in this order.
    final long number;
    final List<Job> jobs = new ArrayList<>(1);

    /// Recipients read and not yet settled, whether or not their route is known.
    int inCore;
    int waiting;
    int running;

    /// Open recipients may follow in the register.
    boolean moreOnFile;

    /// A batch is wished for or being read.
    boolean reading;

    /// Number of the last recipient that was read.
    int readUpTo;

    Message(QueueId id, long number) {
        this.id = id;
        this.number = number;
    }

    public QueueId id() {
        return id;
    }

    /// Entries that wait for their turn.
    public int waiting() {
        return waiting;
    }

    /// Entries that were taken and are not finished.
    public int running() {
        return running;
    }

    public boolean isReading() {
        return reading;
    }

    /// Nothing of it is in memory, nothing is being read, nothing is left to read.
    public boolean isExhausted() {
        return inCore == 0 && !reading && !moreOnFile;
    }

    /// A destination that entries of this message wait for, for whoever wants to explain the wait.
    public Optional<Line> waitsFor() {
        for (Job job : jobs) {
            if (!job.peers.isEmpty()) {
                return Optional.of(job.peers.getFirst().line);
            }
        }
        return Optional.empty();
    }

    Job job(Transport transport) {
        // A message has as many jobs as transports, three at most in practice.
        for (Job job : jobs) {
            if (job.transport == transport) {
                return job;
            }
        }
        Job job = new Job(this, transport);
        jobs.add(job);
        return job;
    }
}
