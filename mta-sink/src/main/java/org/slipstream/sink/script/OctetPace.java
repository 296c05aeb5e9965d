package org.slipstream.sink.script;

import java.time.Duration;

/// A slow transfer: this many octets, then a pause, and so on. With 0 octets the transfer is not
/// slowed.
public record OctetPace(int octets, Duration every) {
    public static final OctetPace FULL = new OctetPace(0, Duration.ZERO);

    public boolean isSlow() {
        return octets > 0;
    }
}
