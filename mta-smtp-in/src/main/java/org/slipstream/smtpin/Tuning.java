package org.slipstream.smtpin;

import java.time.Duration;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/// Clocks and durations that only tests change; an operator's settings are in [ListenerConfig] and
/// its limits.
///
/// @param clock for the date in Received lines
/// @param nanos the clock of all waits
/// @param watch the period of the watchdog's scans
/// @param dataCredit how long a client may be silent in DATA, and the time over which its rate is
///     averaged
/// @param linger how long input is drained after the last reply
/// @param afterAbort how long a stop waits for sessions after their connections are aborted
record Tuning(InstantSource clock, LongSupplier nanos, Duration watch, Duration dataCredit, Duration linger,
        Duration afterAbort) {
    static Tuning standard() {
        return new Tuning(InstantSource.system(), System::nanoTime, Duration.ofSeconds(1), Duration.ofSeconds(60),
                Duration.ofSeconds(2), Duration.ofSeconds(5));
    }
}
