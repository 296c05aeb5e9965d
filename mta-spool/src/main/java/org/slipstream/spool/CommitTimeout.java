package org.slipstream.spool;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/// How long a client can be expected to wait for its 250. Messages that the log thread has not taken by then are given up, and their
/// clients told to come again: 451 in time is better than a client that hangs up and does not know.
///
/// Only what the log thread has not taken can be given up. Of a letter that hangs in a sync nobody knows whether it is there, and
/// 451 for it would make two of it (RFC 1047).
///
/// One look at the queue every now and then: a timer for each letter would cost more than some of the letter's syscalls. On a platform
/// thread, so that it looks also when the carriers of virtual threads are busy.
final class CommitTimeout implements AutoCloseable {
    private static final long LONGEST_NAP_MILLIS = 5_000;

    private final LogWriter writer;
    private final long millis;
    private final Thread thread;

    private CommitTimeout(LogWriter writer, long millis) {
        this.writer = writer;
        this.millis = millis;
        thread = Thread.ofPlatform().daemon().name("spool-patience").unstarted(this::run);
    }

    static CommitTimeout with(LogWriter writer, long millis) {
        CommitTimeout patience = new CommitTimeout(writer, millis);
        patience.thread.start();
        return patience;
    }

    private void run() {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(Math.clamp(millis / 8, 1, LONGEST_NAP_MILLIS));
                writer.giveUp(System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(millis), this::giveUp);
            }
        } catch (InterruptedException closed) {
            // The last groups answer the sessions that still wait.
        }
    }

    private void giveUp(Task.Deposit deposit) {
        deposit.safe().completeExceptionally(
                new IOException("given up after " + millis + " ms: the spool's disk does not keep up"));
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
