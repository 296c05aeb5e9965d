package org.slipstream.shaping;

import org.slipstream.core.Units;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.core.queue.Suspension;

import java.time.Duration;

/// The effect of a rule while it is in force: one standing order, with an end.
public sealed interface ShapingEffect {
    /// For how long it is in force.
    Duration time();

    /// At most this number of connections.
    record Lanes(int number, Duration time) implements ShapingEffect {}

    /// At most this number of deliveries in a period.
    ///
    /// @param rate such as `100/1h`
    record RateLimit(String rate, Duration time) implements ShapingEffect {}

    /// No mail. A pause is a short suspension.
    record Suspend(Duration time) implements ShapingEffect {}

    default String words() {
        return switch (this) {
            case Lanes(int number, Duration _) -> "lanes = " + number;
            case RateLimit(String rate, Duration _) -> "rate = " + rate;
            case Suspend _ -> "suspend";
        } + " for " + Units.DURATIONS.write(time().toMillis());
    }

    default StandingOrder order(ShapingSubject subject, String why, String author, long nowMillis) {
        long until = nowMillis + time().toMillis();
        return switch (this) {
            case Lanes(int number, Duration _) -> LimitOrder.parse(subject.lanesKey(), Integer.toString(number), why,
                    author, nowMillis, until);
            case RateLimit(String rate, Duration _) ->
                LimitOrder.parse(subject.rateKey(), rate, why, author, nowMillis, until);
            case Suspend _ -> new Suspension(subject.scope(), subject.name(), why, author, nowMillis, until);
        };
    }
}
