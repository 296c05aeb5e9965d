package org.slipstream.spool.work;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// The turn to write and sync, of all spools of this process on one file system.
///
/// Two log threads that sync at the same time wait for the same disk, and each of them with a smaller group
/// than one thread would have. So a thread takes its group when it is its turn, and its tasks gather until then.
/// A disk that hangs must not stop the others: they wait for a short time, and then go on without a turn.
public final class DiskTurn {
    private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final ConcurrentHashMap<FileStore, DiskTurn> TURNS = new ConcurrentHashMap<>();

    private final Semaphore free = new Semaphore(1, true);
    /// Of the turn that is under way; 0: none is.
    private volatile long sinceNanos;
    private final long longestWaitNanos;

    DiskTurn(long longestWaitNanos) {
        this.longestWaitNanos = longestWaitNanos;
    }

    public static DiskTurn of(Path folder) throws IOException {
        return TURNS.computeIfAbsent(Files.getFileStore(folder), _ -> new DiskTurn(LONGEST_WAIT_NANOS));
    }

    void during(Runnable work) {
        boolean mine = begin();
        try {
            work.run();
        } finally {
            if (mine) {
                sinceNanos = 0;
                free.release();
            }
        }
    }

    private boolean begin() {
        long since = sinceNanos;
        if (since != 0 && System.nanoTime() - since > longestWaitNanos) {
            return false;
        }
        try {
            boolean mine = free.tryAcquire(longestWaitNanos, TimeUnit.NANOSECONDS);
            if (mine) {
                sinceNanos = System.nanoTime() | 1;
            }
            return mine;
        } catch (InterruptedException e) {
            // The log thread is never stopped this way.
            return false;
        }
    }
}
