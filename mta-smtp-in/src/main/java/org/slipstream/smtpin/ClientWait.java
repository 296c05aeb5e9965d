package org.slipstream.smtpin;

/// A wait for something that only the client can do: since when, and how long at most. What the client does in between does
/// not start it again, so a client that sends or reads an octet now and then gains nothing.
///
/// @param sinceNanos on the clock of [Tuning#nanos]
record ClientWait(long sinceNanos, long limitNanos) {
    /// No wait: never over.
    static final ClientWait NONE = new ClientWait(0, Long.MAX_VALUE);

    boolean isOver(long nowNanos) {
        return nowNanos - sinceNanos >= limitNanos;
    }

    /// Like [#isOver(long)] where a wait that was under way when the port was crowded has less time.
    ///
    /// @param crowdedNanos the last moment in which the port was crowded
    boolean isOver(long nowNanos, long crowdedNanos, long crowdedLimitNanos) {
        boolean crowded = this != NONE && crowdedNanos - sinceNanos >= 0;
        return nowNanos - sinceNanos >= (crowded ? Math.min(limitNanos, crowdedLimitNanos) : limitNanos);
    }
}
