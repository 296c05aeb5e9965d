package org.slipstream.smtpin;

import java.time.Duration;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/// What only tests turn: everything an operator may want to turn is in [ListenerConfig] and its limits.
///
/// @param clock for the date in Received lines
/// @param nanos the clock of all waits
/// @param watch how often waits are looked at
/// @param dataCredit how long a client may be silent in DATA, and the time over which its rate is averaged
/// @param lastWord how long we listen to a client that we are about to leave
/// @param afterCut how long a stop waits for sessions whose connection it has cut
record Tuning(InstantSource clock, LongSupplier nanos, Duration watch, Duration dataCredit, Duration lastWord,
        Duration afterCut) {
    static Tuning standard() {
        return new Tuning(InstantSource.system(), System::nanoTime, Duration.ofSeconds(1), Duration.ofSeconds(60),
                Duration.ofSeconds(2), Duration.ofSeconds(5));
    }
}
