package org.slipstream.bench.load.sustain;

/// A straight line through a figure over time, by least squares, and whether it rises.
///
/// Figures of a stable server still move: the heap follows a sawtooth, and so do the segments. A
/// line through a few teeth is never level, so it counts as rising only when three things are true.
/// Over the time that is looked at it gains more than a twentieth of the mean; it gains more than a
/// negligible amount; and the slope is beyond four of its standard errors, twice the usual limit
/// for independent points, because neighbours on a sawtooth are not independent.
///
/// @param perMinute the slope
/// @param gain the rise of the line from the first point to the last
/// @param error standard error of the gain
record Trend(int points, double mean, double perMinute, double gain, double error) {
    private static final int ENOUGH = 12;
    private static final double SHARE = 0.05;
    private static final double ERRORS = 4;

    enum TrendDirection {
        TOO_SHORT("too short to say"), GROWS("GROWS"), FALLS("falls"), STEADY("does not grow");

        final String words;

        TrendDirection(String words) {
            this.words = words;
        }
    }

    /// @param minutes of each point; @param values that are not a number are left out
    static Trend of(double[] minutes, double[] values) {
        int n = 0;
        double sumX = 0;
        double sumY = 0;
        double first = Double.NaN;
        double last = Double.NaN;
        for (int i = 0; i < values.length; i++) {
            if (!Double.isNaN(values[i])) {
                n++;
                sumX += minutes[i];
                sumY += values[i];
                first = Double.isNaN(first) ? minutes[i] : first;
                last = minutes[i];
            }
        }
        double meanX = sumX / n;
        double meanY = sumY / n;
        double xx = 0;
        double xy = 0;
        double yy = 0;
        for (int i = 0; i < values.length; i++) {
            if (!Double.isNaN(values[i])) {
                double dx = minutes[i] - meanX;
                double dy = values[i] - meanY;
                xx += dx * dx;
                xy += dx * dy;
                yy += dy * dy;
            }
        }
        double slope = xy / xx;
        double residual = Math.max(0, yy - slope * xy);
        return new Trend(n, meanY, slope, slope * (last - first),
                Math.sqrt(residual / (n - 2) / xx) * (last - first));
    }

    TrendDirection direction(double negligible) {
        if (points < ENOUGH) {
            return TrendDirection.TOO_SHORT;
        }
        double size = Math.abs(gain);
        if (size <= negligible || size <= SHARE * Math.abs(mean) || size <= ERRORS * error) {
            return TrendDirection.STEADY;
        }
        return gain > 0 ? TrendDirection.GROWS : TrendDirection.FALLS;
    }
}
