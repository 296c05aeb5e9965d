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

/// Ends each [ClientWait] of a listener's connections that is over. It is the only clock of a session, for reading, writing and handshakes,
/// in clear text and under TLS.
///
/// A timeout of the socket covers reads only, and starts again with each octet: a TLS record that drips never meets it. It costs more,
/// too: each timed wait of a virtual thread is a task for the one thread that keeps the timers, every fifth microsecond of
/// what a message took. Here a wait costs two writes of a field, and one look each second at every connection finds what is
/// over; so a wait may last a second longer than its limit.
///
/// When the port is crowded, every wait that is under way then has the shorter limit, and keeps it until it ends. Otherwise the
/// first that are closed would make room, and all others could stay.
final class SessionWatchdog implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SessionWatchdog.class);

    private final Set<SocketLink> links = ConcurrentHashMap.newKeySet();
    private final BooleanSupplier crowded;
    private final long crowdedLimitNanos;
    private final LongSupplier nanos;
    // A platform thread: virtual ones wait when the carriers are busy.
    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().daemon().name("listener-watchdog").factory());
    private long crowdedNanos;

    /// @param crowded asked at each look
    /// @param crowdedLimitNanos the longest wait that is under way then
    SessionWatchdog(BooleanSupplier crowded, long crowdedLimitNanos, LongSupplier nanos) {
        this.crowded = crowded;
        this.crowdedLimitNanos = crowdedLimitNanos;
        this.nanos = nanos;
        this.crowdedNanos = nanos.getAsLong() - 1;
    }

    void start(Duration period) {
        thread.scheduleWithFixedDelay(this::lookOrLog, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }

    void watch(SocketLink link) {
        links.add(link);
    }

    void forget(SocketLink link) {
        links.remove(link);
    }

    // A task that throws is not scheduled again.
    private void lookOrLog() {
        try {
            look();
        } catch (RuntimeException broken) {
            log.error("msg=\"watchdog failed\"", broken);
        }
    }

    void look() {
        long now = nanos.getAsLong();
        if (crowded.getAsBoolean()) {
            crowdedNanos = now;
        }
        links.forEach(link -> link.endIfOver(now, wait -> wait.isOver(now, crowdedNanos, crowdedLimitNanos)));
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
