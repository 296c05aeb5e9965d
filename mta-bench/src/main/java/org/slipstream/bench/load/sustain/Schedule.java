package org.slipstream.bench.load.sustain;

/// The time at which each message falls due. Messages fall due by the clock and not when the server
/// is ready for them: a message that a stall delays has waited since that time, and so have those
/// behind it.
///
/// @param first number of the first message; numbers go on from schedule to schedule
/// @param perSecond infinite for as fast as they are taken
record Schedule(long first, long startNanos, long endNanos, double perSecond) {
    static Schedule paced(long first, double perSecond, double seconds) {
        long now = System.nanoTime();
        return new Schedule(first, now, now + (long) (seconds * 1e9), perSecond);
    }

    static Schedule asFastAsTaken(long first, double seconds) {
        return paced(first, Double.POSITIVE_INFINITY, seconds);
    }

    long dueNanos(long message) {
        return startNanos + (long) ((message - first) * 1e9 / perSecond);
    }

    /// A message that fell due in time is never left out, however late it is.
    boolean isOver(long message) {
        return endNanos - (Double.isInfinite(perSecond) ? System.nanoTime() : dueNanos(message)) <= 0;
    }
}
