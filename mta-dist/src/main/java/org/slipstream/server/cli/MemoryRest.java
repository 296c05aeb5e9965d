package org.slipstream.server.cli;

import java.util.function.LongSupplier;

/// Gives memory back when there is nothing to do.
///
/// The serial collector works only when the heap is full: what a start or a busy hour has left lies there until somebody needs the
/// room, which on a quiet server is never, and the operating system counts it as used. So when a quiet time begins the heap is
/// collected once, which also makes it smaller (the launcher's `MinHeapFreeRatio`). That takes some tens of milliseconds, at a moment when
/// nobody waits for them.
///
/// Quiet is a time in which the heap has grown by little and was not collected; both show in one figure, the bytes in use, which
/// only a collection makes smaller. Not for several threads.
final class MemoryRest {
    private static final long QUIET_BYTES = 256 << 10;
    private static final long WORTH_BYTES = 4 << 20;
    private static final long START_MILLIS = 500;
    private static final long EVERY_MILLIS = 2_000;

    private final LongSupplier used;
    private final Runnable collect;
    private long before;
    private long afterRest;

    /// @param used bytes of the heap in use, garbage included
    MemoryRest(LongSupplier used, Runnable collect) {
        this.used = used;
        this.collect = collect;
        before = used.getAsLong();
    }

    /// Looks every few seconds until it is interrupted; more often until it has collected once, since a start leaves much behind.
    static Thread watch() {
        Runtime runtime = Runtime.getRuntime();
        return Thread.ofVirtual().name("memory-rest").start(() -> {
            MemoryRest rest = new MemoryRest(() -> runtime.totalMemory() - runtime.freeMemory(), System::gc);
            try {
                do {
                    Thread.sleep(START_MILLIS);
                } while (!rest.look());
                while (true) {
                    Thread.sleep(EVERY_MILLIS);
                    rest.look();
                }
            } catch (InterruptedException end) {
                // The server stops.
            }
        });
    }

    /// True when the heap was collected.
    boolean look() {
        long now = used.getAsLong();
        boolean quiet = now >= before && now - before < QUIET_BYTES;
        boolean worth = now - afterRest > WORTH_BYTES;
        if (quiet && worth) {
            collect.run();
            now = used.getAsLong();
            afterRest = now;
        }
        before = now;
        return quiet && worth;
    }
}
