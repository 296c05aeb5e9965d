package org.slipstream.cli.run;

import java.util.function.LongSupplier;

/// Returns memory to the operating system when the server is idle.
///
/// The serial collector runs only when the heap is full. Garbage of a start or a busy hour stays in
/// the heap until the space is needed, which on a quiet server is never, and the operating system
/// counts it as used. So when a quiet period begins, the heap is collected once, which also shrinks
/// it (the launcher's `MinHeapFreeRatio`). That takes some tens of milliseconds while the server is
/// idle.
///
/// A period is quiet when the heap has grown by little and was not collected. Both show in one
/// figure, the bytes in use, which only a collection reduces. Not thread-safe.
public final class IdleCollector {
    private static final long QUIET_BYTES = 256 << 10;
    private static final long WORTH_BYTES = 4 << 20;
    private static final long START_MILLIS = 500;
    private static final long EVERY_MILLIS = 2_000;

    private final LongSupplier used;
    private final Runnable collect;
    private long before;
    private long afterRest;

    /// @param used bytes of the heap in use, garbage included
    public IdleCollector(LongSupplier used, Runnable collect) {
        this.used = used;
        this.collect = collect;
        before = used.getAsLong();
    }

    /// Checks every few seconds until interrupted; more often until the first collection, because a
    /// start leaves much garbage.
    static Thread watch() {
        Runtime runtime = Runtime.getRuntime();
        return Thread.ofVirtual().name("memory-rest").start(() -> {
            IdleCollector rest = new IdleCollector(() -> runtime.totalMemory() - runtime.freeMemory(), System::gc);
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
    public boolean look() {
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
