package org.slipstream.lab;

/// How many deliveries keep a connection busy, as a carrier finds out.
///
/// With a round trip of R and a server that needs T for a delivery, 1 + R/T deliveries under way
/// keep the server at work all the time. The shortest time from sending to reply is R + T; R is
/// known from the handshake. Where T is more than ten times R and what the client needs to turn
/// around, one is enough. The depth moves by one with each answer, as that of the SMTP client does.
final class PipeEstimate {
    private static final long TURN_MILLIS = 1;
    private static final int SLOW = 10;

    private final long roundTripMillis;
    private final int most;
    private int depth;
    private long shortestMillis = Long.MAX_VALUE;

    PipeEstimate(long roundTripMillis, int first, int most) {
        this.roundTripMillis = roundTripMillis;
        this.most = most;
        this.depth = Math.min(first, most);
    }

    int depth() {
        return depth;
    }

    /// A delivery was answered, so long after it was sent. True when the depth is another one now.
    boolean answered(long millis) {
        shortestMillis = Math.min(shortestMillis, millis);
        int before = depth;
        depth += Integer.signum(wanted() - depth);
        return depth != before;
    }

    private int wanted() {
        if (shortestMillis > SLOW * (roundTripMillis + TURN_MILLIS)) {
            return 1;
        }
        long serviceMillis = Math.max(1, shortestMillis - roundTripMillis);
        return Math.clamp(1 + Math.ceilDiv(roundTripMillis, serviceMillis), Math.min(2, most), most);
    }
}
