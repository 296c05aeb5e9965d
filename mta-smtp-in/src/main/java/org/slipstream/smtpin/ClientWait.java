package org.slipstream.smtpin;

/// A wait for the client: when it began and how long it may take. Octets that arrive or leave in
/// between do not restart it, so a client that sends or reads an octet now and then gains nothing.
///
/// @param sinceNanos on the clock of [Tuning#nanos]
record ClientWait(long sinceNanos, long limitNanos) {
    /// No wait; it is never over.
    static final ClientWait NONE = new ClientWait(0, Long.MAX_VALUE);

    boolean isOver(long nowNanos) {
        return nowNanos - sinceNanos >= limitNanos;
    }

    /// Like [#isOver(long)], with a shorter limit for a wait that was under way while the port was
    /// crowded.
    ///
    /// @param crowdedNanos the last time at which the port was crowded
    boolean isOver(long nowNanos, long crowdedNanos, long crowdedLimitNanos) {
        boolean crowded = this != NONE && crowdedNanos - sinceNanos >= 0;
        return nowNanos - sinceNanos >= (crowded ? Math.min(limitNanos, crowdedLimitNanos) : limitNanos);
    }
}
