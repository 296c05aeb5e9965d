package org.slipstream.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// A virtual time that stands still until a test moves it.
///
/// The wall clock and the monotonic clock move together, and [#setBack] moves the wall clock alone.
/// The monotonic clock begins shortly before it overflows, because `System.nanoTime()` may do so,
/// too: code that compares such times with `<` fails. Any thread may read and move it.
public final class SimulatedClock implements InstantSource {
    /// The default beginning: in the year 2027, so that a forgotten real clock is noticed.
    public static final Instant BEGINNING = Instant.ofEpochMilli(1_800_000_000_000L);

    private static final long ALMOST_OVERFLOWN = Long.MAX_VALUE - 5;

    private final AtomicLong millis;
    private final AtomicLong nanos = new AtomicLong(ALMOST_OVERFLOWN);

    /// A clock at [#BEGINNING].
    public SimulatedClock() {
        this(BEGINNING);
    }

    /// A clock at this time.
    public SimulatedClock(Instant beginning) {
        millis = new AtomicLong(beginning.toEpochMilli());
    }

    /// The wall clock.
    @Override
    public long millis() {
        return millis.get();
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis.get());
    }

    /// The monotonic clock, in place of `System.nanoTime()`.
    public long nanos() {
        return nanos.get();
    }

    /// Moves both clocks forward.
    public void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
        millis.addAndGet(time.toMillis());
    }

    /// Moves both clocks forward.
    public void advanceMillis(long time) {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(time));
        millis.addAndGet(time);
    }

    /// Moves the wall clock back, as an operator or NTP does. The monotonic clock stays.
    public void setBack(Duration time) {
        millis.addAndGet(-time.toMillis());
    }
}
