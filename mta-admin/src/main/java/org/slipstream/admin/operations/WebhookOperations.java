package org.slipstream.admin.operations;

import org.slipstream.core.order.WebhookVerb;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// The webhooks, as the API uses them. Called on HTTP threads.
public interface WebhookOperations {
    /// @param url without its query, which may have a key
    /// @param state active, failing or paused
    /// @param reason of a pause: the operator, or the failure
    /// @param failures in a row
    /// @param failingSince ISO 8601 in UTC; empty unless it fails, as for the other times
    /// @param lastAnswer a status, or the reason why there was none
    /// @param oldest the time of the event that is tried now
    /// @param cursor behind the last event that the receiver has
    /// @param sent events since the start of the server
    record WebhookView(String name, String url, String state, String reason, int failures, String failingSince,
            String nextTry, String lastAnswer, String answeredAt, String oldest, String cursor, long sent,
            long requests) {}

    record WebhooksView(List<WebhookView> webhooks) {}

    WebhooksView webhooks();

    /// Carries out an order.
    ///
    /// @return the failure of a test, or an empty text; empty when there is no such webhook
    /// @throws IllegalArgumentException with the sentence for a wrong place
    Optional<String> order(String name, WebhookVerb order) throws IOException;
}
