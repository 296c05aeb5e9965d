package org.slipstream.spool;

import org.slipstream.spool.Spool.Trouble;
import org.slipstream.spool.Spool.What;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// What the log thread and the index thread have met and not seen end. They tell it, any thread asks; to ask never waits for the disk.
///
/// A trouble begins with the first write that fails and ends with the first one behind it that succeeds, so that an operator
/// reads since when, and not when it was met last. The log is not tried without need: its trouble ends with the next message or
/// outcome that goes in.
///
/// A write that does not come back fails nothing. So a thread also says when it begins to write and when it has ended, and a
/// write that lasts longer than [#STALL_NANOS] is told as a trouble of its own. [SpoolWatchdog] asks for it, too.
final class HealthReport {
    static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier clock;
    private final LongSupplier nanoTime;
    private final Map<What, Trouble> met = new EnumMap<>(What.class);
    /// When the write began that each thread is busy with.
    private final Map<What, Long> writes = new ConcurrentHashMap<>();

    /// @param clock milliseconds since 1970, to tell; @param nanoTime to measure
    HealthReport(LongSupplier clock, LongSupplier nanoTime) {
        this.clock = clock;
        this.nanoTime = nanoTime;
    }

    synchronized void met(What what, Throwable why) {
        long since = met.containsKey(what) ? met.get(what).sinceMillis() : clock.getAsLong();
        met.put(what, new Trouble(what, since, innermost(why), SpaceGuard.isNoSpace(why)));
    }

    synchronized void over(What what) {
        met.remove(what);
    }

    synchronized boolean has(What what) {
        return met.containsKey(what);
    }

    /// The log thread or the index thread begins a write; an earlier one of the same has come back.
    void begins(What where) {
        writes.put(where, nanoTime.getAsLong());
    }

    void ends(What where) {
        writes.remove(where);
    }

    synchronized List<Trouble> now() {
        List<Trouble> now = new ArrayList<>(met.values());
        runningWrite().ifPresent(since -> {
            long nanos = nanoTime.getAsLong() - since;
            if (nanos >= STALL_NANOS) {
                long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
                now.add(new Trouble(What.STALL, clock.getAsLong() - millis,
                        "a write has not come back for " + millis / 1000 + " s", false));
            }
        });
        return now;
    }

    /// When the oldest write began that has not come back.
    OptionalLong runningWrite() {
        long now = nanoTime.getAsLong();
        return writes.values().stream().mapToLong(Long::longValue).boxed()
                .max(Comparator.comparingLong(since -> now - since)).map(OptionalLong::of)
                .orElse(OptionalLong.empty());
    }

    /// What wraps it only says that the index, or the log, could not be written.
    private static String innermost(Throwable why) {
        Throwable inner = why;
        while (inner.getCause() != null && inner.getCause() != inner && inner.getCause().getMessage() != null) {
            inner = inner.getCause();
        }
        return inner.getMessage() == null ? inner.getClass().getSimpleName() : inner.getMessage();
    }
}
