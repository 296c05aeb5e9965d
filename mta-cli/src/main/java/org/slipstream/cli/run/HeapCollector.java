package org.slipstream.cli.run;

import java.util.function.LongSupplier;

/// Orders collections of the whole heap before the JVM would make them, which is when the heap has
/// reached its limit.
///
/// **When the heap has grown.** Messages that wait for a moment outlive two collections of the
/// young generation and become garbage in the old one. The parallel collector lets the old
/// generation grow up to its limit before it looks there: under load, a tenth of a full heap was
/// alive. A collection takes time for live objects only, some 50 ms for the 30 MiB of a busy
/// server.
///
/// **When the server is idle.** Garbage of a start or a busy hour would stay in the heap until the
/// space is needed, which on a quiet server is never, and the operating system counts it as used.
/// So the heap is collected once when a quiet period begins.
///
/// After a collection the JVM returns the free part of the old generation (the launcher's
/// `UseAdaptiveSizePolicyWithSystemGC`).
///
/// Both cases show in one figure, the bytes in use, which only a collection reduces. A period is
/// quiet when the figure has grown by little. Not thread-safe.
public final class HeapCollector {
    private static final long QUIET_BYTES = 256 << 10;
    private static final long WORTH_BYTES = 4 << 20;
    /// With a young generation of up to 48 MiB, which is part of it.
    private static final long GROWTH_BYTES = 80 << 20;
    private static final long START_MILLIS = 500;
    private static final long EVERY_MILLIS = 1_000;

    private final LongSupplier used;
    private final Runnable collect;
    private long before;
    private long live;

    /// @param used bytes of the heap in use, garbage included
    public HeapCollector(LongSupplier used, Runnable collect) {
        this.used = used;
        this.collect = collect;
        before = used.getAsLong();
    }

    /// Checks every second until interrupted; more often until the first collection, because a
    /// start leaves much garbage.
    static Thread watch() {
        Runtime runtime = Runtime.getRuntime();
        return Thread.ofVirtual().name("memory-rest").start(() -> {
            HeapCollector heap = new HeapCollector(() -> runtime.totalMemory() - runtime.freeMemory(), System::gc);
            try {
                do {
                    Thread.sleep(START_MILLIS);
                } while (!heap.look());
                while (true) {
                    Thread.sleep(EVERY_MILLIS);
                    heap.look();
                }
            } catch (InterruptedException end) {
                // The server stops.
            }
        });
    }

    /// True when the heap was collected.
    public boolean look() {
        long now = used.getAsLong();
        boolean quiet = now >= before && now - before < QUIET_BYTES && now - live > WORTH_BYTES;
        // A large heap may double, so that the share of the time for collections stays the same.
        boolean grown = now - live > Math.max(GROWTH_BYTES, live);
        if (quiet || grown) {
            collect.run();
            now = used.getAsLong();
            live = now;
        }
        before = now;
        return quiet || grown;
    }
}
