package org.slipstream.spool.work;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/// Ends the wait of sessions whose messages the log thread has not taken in time. Their clients get
/// a 451 and try again, which is better than a client that disconnects without a reply.
///
/// Only messages that the log thread has not taken can be withdrawn. Whether a message whose sync
/// hangs is in the log is unknown, and a 451 for it would duplicate it (RFC 1047).
///
/// The queue is checked periodically, because a timer per message would cost more than some of its
/// system calls. The thread is a platform thread, so that it also runs when the carrier threads of
/// virtual threads are busy.
public final class CommitTimeout implements AutoCloseable {
    private static final long LONGEST_NAP_MILLIS = 5_000;

    private final LogWriter writer;
    private final long millis;
    private final Thread thread;

    private CommitTimeout(int shard, LogWriter writer, long millis) {
        this.writer = writer;
        this.millis = millis;
        thread = Thread.ofPlatform().daemon().name("spool-timeout-" + shard).unstarted(this::run);
    }

    public static CommitTimeout with(int shard, LogWriter writer, long millis) {
        CommitTimeout timeout = new CommitTimeout(shard, writer, millis);
        timeout.thread.start();
        return timeout;
    }

    private void run() {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(Math.clamp(millis / 8, 1, LONGEST_NAP_MILLIS));
                writer.giveUp(System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(millis), this::giveUp);
            }
        } catch (InterruptedException closed) {
            // The last groups reply to the sessions that still wait.
        }
    }

    private void giveUp(Task.Deposit deposit) {
        deposit.safe().completeExceptionally(
                new IOException("not committed within " + millis + " ms: the spool's disk is too slow"));
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
