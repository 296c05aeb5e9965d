package org.slipstream.smtpin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// Ends each [ClientWait] of a listener's connections that is over. It is the only clock of a
/// session, for reads, writes and handshakes, in clear text and under TLS.
///
/// A socket timeout covers reads only and restarts with each octet, so a TLS record that drips
/// never meets it. It also costs more: each timed wait of a virtual thread is a task for the one
/// thread that keeps the timers, every fifth microsecond of a message's time. Here a wait costs two
/// writes of a field, and one scan a second over all connections finds the waits that are over. So
/// a wait may last a second longer than its limit.
///
/// While the port is crowded, every wait under way gets the shorter limit and keeps it until it
/// ends. Otherwise the first connections that are closed would make space, and all others could
/// stay.
final class SessionWatchdog implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SessionWatchdog.class);

    private final Set<SocketLink> links = ConcurrentHashMap.newKeySet();
    private final BooleanSupplier crowded;
    private final LongSupplier crowdedLimitNanos;
    private final LongSupplier nanos;
    // A platform thread: virtual threads wait when the carrier threads are busy.
    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().daemon().name("listener-watchdog").factory());
    private long crowdedNanos;

    /// @param crowded asked at each scan
    /// @param crowdedLimitNanos the longest wait while the port is crowded
    SessionWatchdog(BooleanSupplier crowded, LongSupplier crowdedLimitNanos, LongSupplier nanos) {
        this.crowded = crowded;
        this.crowdedLimitNanos = crowdedLimitNanos;
        this.nanos = nanos;
        this.crowdedNanos = nanos.getAsLong() - 1;
    }

    void start(Duration period) {
        thread.scheduleWithFixedDelay(this::scanOrLog, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }

    void watch(SocketLink link) {
        links.add(link);
    }

    void unwatch(SocketLink link) {
        links.remove(link);
    }

    // A task that throws is not scheduled again.
    private void scanOrLog() {
        try {
            scan();
        } catch (RuntimeException | Error broken) {
            log.error("event=watchdog-failed", broken);
        }
    }

    void scan() {
        long now = nanos.getAsLong();
        if (crowded.getAsBoolean()) {
            crowdedNanos = now;
        }
        long limit = crowdedLimitNanos.getAsLong();
        links.forEach(link -> link.endIfOver(now, wait -> wait.isOver(now, crowdedNanos, limit)));
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
