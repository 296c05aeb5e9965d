package org.slipstream.lab.film;

/// The moments of a film: an interval in equal steps.
///
/// @param steps between the first and the last moment
public record FilmInterval(long fromMillis, long toMillis, int steps) {
    /// More pictures than the pixels of a slider tell apart.
    public static final int MOST_STEPS = 120;

    /// So that the products of times and steps fit.
    public static final long LONGEST_MILLIS = Long.MAX_VALUE / 1_000;

    public FilmInterval {
        if (toMillis <= fromMillis || toMillis - fromMillis > LONGEST_MILLIS || steps < 1
                || steps > MOST_STEPS) {
            throw new IllegalArgumentException("no interval of a film: " + fromMillis + " to " + toMillis + " in "
                    + steps + " steps");
        }
    }

    /// As many steps as fit, of a millisecond at least.
    public static FilmInterval of(long fromMillis, long toMillis) {
        return new FilmInterval(fromMillis, toMillis,
                Math.clamp(toMillis - fromMillis, 1, MOST_STEPS));
    }

    /// @param step from 0 to the number of steps
    public long atMillis(int step) {
        return fromMillis + (toMillis - fromMillis) * step / steps;
    }

    /// The step of the latest moment that is not after this time.
    public int step(long millis) {
        int step = (int) (Math.clamp(millis - fromMillis, 0, toMillis - fromMillis) * steps
                / (toMillis - fromMillis));
        return step < steps && atMillis(step + 1) <= millis ? step + 1 : step;
    }
}
