package org.slipstream.qmgr.flow;

/// The smoothed duration of the deliveries to one destination. It weighs the latest delivery with
/// 1/8, as TCP weighs its latest round trip (RFC 6298 section 2).
///
/// The duration includes the time in the queue of a connection. By Little's law, deliveries under
/// way divided by this duration are the deliveries per millisecond, with and without pipelining.
public final class MeanDuration {
    private static final double GAIN = 1.0 / 8;

    private double meanMillis;
    private boolean known;

    /// Records the duration of a delivery.
    public void took(long millis) {
        meanMillis = known ? meanMillis + (millis - meanMillis) * GAIN : millis;
        known = true;
    }

    /// 0 when no delivery has ended.
    public long millis() {
        return Math.round(meanMillis);
    }

    /// The estimated time until a delivery behind `before` others starts; 0 when it is not known.
    ///
    /// @param atOnce deliveries that run at the same time
    public long restMillis(int before, int atOnce) {
        return known ? Math.round((before + 1) * meanMillis / Math.max(1, atOnce)) : 0;
    }
}
