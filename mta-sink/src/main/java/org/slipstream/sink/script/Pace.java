package org.slipstream.sink.script;

import java.time.Duration;

/// A slow transfer: this many octets, then a pause, and so on. With 0 octets the transfer is not
/// slowed.
public record Pace(int octets, Duration every) {
    public static final Pace FULL = new Pace(0, Duration.ZERO);

    public boolean isSlow() {
        return octets > 0;
    }
}
