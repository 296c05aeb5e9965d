package org.slipstream.events.webhook;

import java.time.Instant;
import java.util.Optional;

/// How a webhook is.
///
/// @param pausedByOperator empty while it is not paused
/// @param reason of the pause: the name of the operator, or the failure
/// @param failures in a row
/// @param nextTry while it fails
/// @param lastAnswer a status, or the reason why there was none; empty before the first
/// @param oldest the time of the event that is next, if it is in memory
/// @param cursor behind the last event that the receiver has
/// @param sent events since the start of the server
/// @param requests the same
public record WebhookState(String name, String url, Optional<Boolean> pausedByOperator, String reason, int failures,
        Optional<Instant> failingSince, Optional<Instant> nextTry, String lastAnswer, Optional<Instant> answeredAt,
        Optional<Instant> oldest, String cursor, long sent, long requests) {
    public String word() {
        return pausedByOperator.isPresent() ? "paused" : failures > 0 ? "failing" : "active";
    }
}
