package org.slipstream.qmgr.sched;

import org.slipstream.core.QueueId;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// An active message in the scheduler: its recipients in memory, and its jobs.
public final class Message {
    final QueueId id;

    /// Time of activation. Age in the order of service starts here, not at arrival.
    final long activatedMillis;
    List<Job> jobs = List.of();

    /// Recipients read and not finished, routed or not, and their limit.
    int inCore;
    int limit;

    /// Those of them that are in no entry yet.
    int unplaced;

    /// An upper bound of the recipients not yet read.
    int unread;
    final int recipients;
    int waiting;
    int running;

    /// Open recipients may follow in the spool.
    boolean moreOnFile;

    /// A batch is requested or being read, with its size and its reserved memory.
    boolean reading;
    int batch;
    int setAside;

    /// Number of the last recipient that was read, and the time of the read.
    int readUpTo;
    long lastReadMillis;

    Message(QueueId id, long activatedMillis, int recipients, int limit) {
        this.id = id;
        this.activatedMillis = activatedMillis;
        this.recipients = recipients;
        this.unread = recipients;
        this.limit = limit;
    }

    public QueueId id() {
        return id;
    }

    public long activatedMillis() {
        return activatedMillis;
    }

    /// Waiting entries.
    public int waiting() {
        return waiting;
    }

    /// Running entries.
    public int running() {
        return running;
    }

    /// Recipients in memory.
    public int inCore() {
        return inCore;
    }

    public boolean isReading() {
        return reading;
    }

    /// True when the spool may have unread open recipients.
    public boolean isPartlyUnread() {
        return moreOnFile || reading;
    }

    /// True when no recipient is in memory, being read, or left to read.
    public boolean isExhausted() {
        return inCore == 0 && !reading && !moreOnFile;
    }

    /// A destination that an entry of this message waits for, to explain the wait.
    public Optional<DestinationQueue> waitsFor() {
        for (Job job : jobs) {
            for (Peer peer = job.turn; peer != null; peer = job.after(peer)) {
                if (peer.waiting > 0) {
                    return Optional.of(peer.queue);
                }
            }
        }
        return Optional.empty();
    }

    // A message has one job per transport, three at most in practice. No iterator, since this runs
    // for each recipient.
    Optional<Job> existingJob(Transport transport) {
        for (int i = 0; i < jobs.size(); i++) {
            if (jobs.get(i).transport == transport) {
                return Optional.of(jobs.get(i));
            }
        }
        return Optional.empty();
    }

    Job job(Transport transport) {
        return existingJob(transport).orElseGet(() -> {
            Job job = new Job(this, transport);
            jobs = jobs.isEmpty() ? List.of(job) : Stream.concat(jobs.stream(), Stream.of(job)).toList();
            return job;
        });
    }
}
