package org.slipstream.lab;

/// Estimates the number of deliveries that keep a connection busy, as the SMTP client does.
///
/// With a round trip of R and a server that needs T for a delivery, 1 + R/T deliveries under way
/// keep the server busy. The shortest time from sending to reply is R + T; the handshake gives R.
/// One delivery is enough where T is more than ten times R plus the turnaround of the client. The
/// depth changes by at most one with each reply.
final class DepthEstimate {
    private static final long TURNAROUND_MILLIS = 1;
    private static final int SLOW = 10;

    private final long roundTripMillis;
    private final int most;
    private int depth;
    private long shortestMillis = Long.MAX_VALUE;

    DepthEstimate(long roundTripMillis, int first, int most) {
        this.roundTripMillis = roundTripMillis;
        this.most = most;
        this.depth = Math.min(first, most);
    }

    int depth() {
        return depth;
    }

    /// Reports a reply and the time since its delivery was sent. Returns whether the depth changed.
    boolean answered(long millis) {
        shortestMillis = Math.min(shortestMillis, millis);
        int before = depth;
        depth += Integer.signum(wanted() - depth);
        return depth != before;
    }

    private int wanted() {
        if (shortestMillis > SLOW * (roundTripMillis + TURNAROUND_MILLIS)) {
            return 1;
        }
        long serviceMillis = Math.max(1, shortestMillis - roundTripMillis);
        return Math.clamp(1 + Math.ceilDiv(roundTripMillis, serviceMillis), Math.min(2, most), most);
    }
}
