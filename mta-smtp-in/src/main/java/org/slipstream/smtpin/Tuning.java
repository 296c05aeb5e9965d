package org.slipstream.smtpin;

import java.time.Duration;
import java.time.InstantSource;

/// What only tests turn: everything an operator may want to turn is in [ListenerConfig].
///
/// @param clock for the date in Received lines
/// @param dataCredit how long a client may be silent in DATA, and the time over which its rate is averaged
/// @param lastWord how long we listen to a client that we are about to leave
record Tuning(InstantSource clock, Duration dataCredit, Duration lastWord) {
    static Tuning standard() {
        return new Tuning(InstantSource.system(), Duration.ofSeconds(60), Duration.ofSeconds(2));
    }
}
