package org.slipstream.qmgr.sched;

import org.slipstream.core.QueueId;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// An active message as the order of service sees it: how much of it is in memory, and its jobs.
public final class Message {
    final QueueId id;

    /// When it became active. Age in the order of service counts from here, not from arrival.
    final long activatedMillis;
    List<Job> jobs = List.of();

    /// Recipients read and not yet settled, whether or not their route is known, and how many there may be.
    int inCore;
    int limit;

    /// Of those, the ones that are in no entry yet.
    int unplaced;

    /// An upper bound of the recipients not yet read.
    int unread;
    final int recipients;
    int waiting;
    int running;

    /// Open recipients may follow in the spool.
    boolean moreOnFile;

    /// A batch is wished for or being read; so much memory is set aside for it.
    boolean reading;
    int batch;
    int setAside;

    /// Number of the last recipient that was read, and when.
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

    /// Entries that wait for their turn.
    public int waiting() {
        return waiting;
    }

    /// Entries that were taken and are not finished.
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

    /// Open recipients may be in the spool that have not been read.
    public boolean isPartlyUnread() {
        return moreOnFile || reading;
    }

    /// Nothing of it is in memory, nothing is being read, nothing is left to read.
    public boolean isExhausted() {
        return inCore == 0 && !reading && !moreOnFile;
    }

    /// A destination that entries of this message wait for, to explain the wait.
    public Optional<DestinationQueue> waitsFor() {
        for (Job job : jobs) {
            Peer peer = job.turn;
            for (int i = 0; peer != null && (i == 0 || peer != job.turn); i++, peer = peer.next) {
                if (peer.waiting > 0) {
                    return Optional.of(peer.queue);
                }
            }
        }
        return Optional.empty();
    }

    // A message has as many jobs as transports, three at most in practice. No iterator, since this is asked for each recipient.
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
