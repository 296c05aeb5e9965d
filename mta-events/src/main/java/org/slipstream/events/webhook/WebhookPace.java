package org.slipstream.events.webhook;

import java.time.Duration;
import java.util.Optional;

/// When a request is repeated that failed: after a pause that doubles, within bounds.
///
/// @param first pause
/// @param longest pause
/// @param mostLater the longest pause that a receiver may ask for
/// @param patience the time of failures after which the webhook is paused
record WebhookPace(Duration first, Duration longest, Duration mostLater, Duration patience) {
    static final WebhookPace USUAL = new WebhookPace(Duration.ofSeconds(10), Duration.ofMinutes(15),
            Duration.ofHours(1), Duration.ofDays(3));
    private static final int MOST_DOUBLINGS = 20;

    /// @param failures in a row, from 1
    /// @param later what the receiver asks for
    /// @param chance from 0 to 1: receivers that failed together are not asked together
    Duration pause(int failures, Optional<Duration> later, double chance) {
        Duration doubled = first.multipliedBy(1L << Math.min(failures - 1, MOST_DOUBLINGS));
        Duration bounded = doubled.compareTo(longest) > 0 ? longest : doubled;
        Duration pause = Duration.ofMillis((long) (bounded.toMillis() * (1 + chance) / 2));
        Duration asked = later.map(each -> each.compareTo(mostLater) > 0 ? mostLater : each).orElse(Duration.ZERO);
        return asked.compareTo(pause) > 0 ? asked : pause;
    }
}
