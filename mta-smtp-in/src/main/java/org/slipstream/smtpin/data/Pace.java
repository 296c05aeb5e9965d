package org.slipstream.smtpin.data;

/// The minimum rate of a client that sends a message.
///
/// The client starts with a credit of time. Waiting for it uses the credit up, and each byte it
/// sends earns `1/rate` seconds, up to the starting credit. So a client may pause as long as the
/// credit, and may be slower than the rate for a while, but not on average. A message of n bytes
/// takes at most `credit + n/rate`, which is the deadline of the whole message. Time that the
/// server spends itself does not count.
public final class Pace {
    private final long fullNanos;
    private final double nanosPerByte;
    private long creditNanos;

    public Pace(int bytesPerSecond, long creditNanos) {
        this.fullNanos = creditNanos;
        this.creditNanos = creditNanos;
        this.nanosPerByte = bytesPerSecond <= 0 ? Double.MAX_VALUE : 1e9 / bytesPerSecond;
    }

    /// The time after which a silent client is too slow; not positive when it is too slow already.
    public long timeoutNanos() {
        return creditNanos;
    }

    public void waited(long nanos, long bytes) {
        double earned = bytes == 0 ? 0 : bytes * nanosPerByte;
        creditNanos = (long) Math.min(fullNanos, creditNanos - nanos + earned);
    }
}
