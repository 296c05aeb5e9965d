package org.slipstream.qmgr.wake;

import org.slipstream.core.Units;

import java.time.Duration;
import java.util.Optional;

/// A number of deliveries per period, such as `100/1h`. In any period of this length no more
/// deliveries start.
///
/// A delivery is one transaction: one message to up to `queue.recipients-per-delivery` recipients.
/// Providers count messages and connections, and a transaction is the larger of both.
public record Rate(int deliveries, Duration period) {
    /// The start times of a whole period are kept in memory.
    static final int MOST_DELIVERIES = 100_000;

    public Rate {
        if (deliveries < 1 || deliveries > MOST_DELIVERIES || period.isZero() || period.isNegative()) {
            throw new IllegalArgumentException("no rate: " + deliveries + " in " + period);
        }
    }

    /// The form `count/period`.
    public static Optional<Rate> parse(String text) {
        int slash = text.indexOf('/');
        String count = slash < 0 ? "" : text.substring(0, slash).strip();
        if (!count.matches("[0-9]{1,6}") || Integer.parseInt(count) < 1 || Integer.parseInt(count) > MOST_DELIVERIES) {
            return Optional.empty();
        }
        return Units.DURATIONS.parse(text.substring(slash + 1)).filter(millis -> millis > 0)
                .map(millis -> new Rate(Integer.parseInt(count), Duration.ofMillis(millis)));
    }

    @Override
    public String toString() {
        return deliveries + "/" + Units.DURATIONS.write(period.toMillis());
    }
}
