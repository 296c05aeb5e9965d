package org.slipstream.spool;

import java.util.List;

/// Figures of a spool since it was opened, and its state now.
///
/// @param groupSizes records in each sync
/// @param syncSeconds duration of each sync
/// @param newMessages messages that were committed
/// @param behind messages and other subjects whose records the index does not have yet
/// @param filled part of the space for them that is in use: from one half new mail waits a little, and at 1 it
///     is refused
/// @param end the end of the log, and the place up to which the index has everything
public record SpoolFigures(Distribution groupSizes, Distribution syncSeconds, long newMessages, int behind,
        double filled, LogPlace end, LogPlace indexed) {
    /// @param bounds upper bounds of the buckets, without the last, which has none
    /// @param counts of each bucket, one more than bounds
    public record Distribution(List<Double> bounds, List<Long> counts, double sum) {}

    /// @param segment number of the segment; @param offset octets in it
    public record LogPlace(long segment, long offset) {}
}
