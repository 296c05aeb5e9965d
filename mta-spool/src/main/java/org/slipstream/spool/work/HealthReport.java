package org.slipstream.spool.work;

import org.slipstream.spool.Spool.Trouble;
import org.slipstream.spool.Spool.What;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// Failures of the log thread and the index thread that have not ended. The two threads report
/// them, any thread reads them, and reading never waits for the disk.
///
/// A failure begins with the first write that fails and ends with the first later write that
/// succeeds, so an operator sees since when it lasts. The log is not tested without need: its
/// failure ends with the next successful commit.
///
/// A write that hangs does not fail. So each thread also reports the begin and end of a write, and
/// a write that lasts longer than [#STALL_NANOS] is a failure of its own. [SpoolWatchdog] uses the
/// same times.
public final class HealthReport {
    static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(10);
    /// A sync takes milliseconds, and on a busy disk some hundreds of them.
    static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);
    static final long HANG_NANOS = TimeUnit.MILLISECONDS.toNanos(SpoolWatchdog.HANG_MILLIS);

    private final LongSupplier clock;
    private final LongSupplier nanoTime;
    private final Map<What, Trouble> met = new EnumMap<>(What.class);
    /// Begin of the current write of each thread.
    private final Map<What, Long> writes = new ConcurrentHashMap<>();
    /// Fails when the server goes on without this spool.
    private final CompletableFuture<Void> givenUp = new CompletableFuture<>();
    private volatile boolean broken;

    /// @param clock milliseconds since 1970, for reports; @param nanoTime for measuring
    public HealthReport(LongSupplier clock, LongSupplier nanoTime) {
        this.clock = clock;
        this.nanoTime = nanoTime;
    }

    synchronized void met(What what, Throwable why) {
        long since = met.containsKey(what) ? met.get(what).sinceMillis() : clock.getAsLong();
        met.put(what, new Trouble(what, since, innermost(why), SpaceGuard.isNoSpace(why)));
    }

    long nowMillis() {
        return clock.getAsLong();
    }

    synchronized void over(What what) {
        met.remove(what);
    }

    synchronized boolean has(What what) {
        return met.containsKey(what);
    }

    /// The log thread or the index thread begins a write; its earlier one has ended.
    void begins(What where) {
        writes.put(where, nanoTime.getAsLong());
    }

    void ends(What where) {
        writes.remove(where);
    }

    boolean isSlow() {
        return lasts(SLOW_NANOS);
    }

    /// The log or the index can never be written again, whatever the disk does.
    public void broke() {
        broken = true;
    }

    boolean hangs() {
        return broken || lasts(HANG_NANOS);
    }

    private boolean lasts(long nanos) {
        long now = nanoTime.getAsLong();
        return writes.values().stream().anyMatch(since -> now - since >= nanos);
    }

    void giveUp() {
        givenUp.completeExceptionally(new IOException("a write to the disk does not return"));
    }

    boolean isGivenUp() {
        return givenUp.isDone();
    }

    /// Waits for a result, or until the spool is given up.
    ///
    /// @throws CompletionException with the reason
    <T> T await(CompletableFuture<T> result) {
        CompletableFuture.anyOf(result, givenUp).join();
        return result.join();
    }

    synchronized List<Trouble> now() {
        List<Trouble> now = new ArrayList<>(met.values());
        runningWrite().ifPresent(since -> {
            long nanos = nanoTime.getAsLong() - since;
            if (nanos >= STALL_NANOS) {
                long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
                now.add(new Trouble(What.STALL, clock.getAsLong() - millis,
                        "a write has not returned for " + millis / 1000 + " s", false));
            }
        });
        return now;
    }

    /// Begin of the oldest write that has not ended.
    OptionalLong runningWrite() {
        long now = nanoTime.getAsLong();
        return writes.values().stream().mapToLong(Long::longValue).boxed()
                .max(Comparator.comparingLong(since -> now - since)).map(OptionalLong::of)
                .orElse(OptionalLong.empty());
    }

    /// The innermost cause; the wrapping exceptions only say that the index or the log could not be
    /// written.
    static String innermost(Throwable why) {
        Throwable inner = why;
        while (inner.getCause() != null && inner.getCause() != inner && inner.getCause().getMessage() != null) {
            inner = inner.getCause();
        }
        return inner.getMessage() == null ? inner.getClass().getSimpleName() : inner.getMessage();
    }
}
