package org.slipstream.server.events;

import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.admin.operations.WebhookOperations;
import org.slipstream.core.Units;
import org.slipstream.core.order.WebhookVerb;
import org.slipstream.events.stream.EventStream;
import org.slipstream.events.stream.StreamCursor;
import org.slipstream.events.webhook.WebhookState;
import org.slipstream.events.webhook.Webhooks;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/// The orders and questions of operators to the webhooks.
public record WebhookControl(Webhooks hooks, EventStream stream, InstantSource clock) implements WebhookOperations {
    /// The trouble of receivers that do not take their events.
    public static Optional<TroubleView> trouble(Webhooks webhooks) {
        return webhooks.trouble().map(reason -> new TroubleView("webhook", "",
                "none for mail; the receiver does not learn what became of it; its events wait", reason));
    }

    @Override
    public WebhooksView webhooks() {
        return new WebhooksView(hooks.states().stream().map(WebhookControl::view).toList());
    }

    private static WebhookView view(WebhookState state) {
        return new WebhookView(state.name(), state.url(), state.word(), state.reason(), state.failures(),
                text(state.failingSince()), text(state.nextTry()), state.lastAnswer(), text(state.answeredAt()),
                text(state.oldest()), state.cursor(), state.sent(), state.requests());
    }

    private static String text(Optional<Instant> time) {
        return time.map(Instant::toString).orElse("");
    }

    @Override
    public Optional<String> order(String name, WebhookVerb order) throws IOException {
        return switch (order) {
            case WebhookVerb.Test _ -> hooks.test(name);
            case WebhookVerb.Pause(String author) -> done(hooks.pause(name, author));
            case WebhookVerb.Resume _ -> done(hooks.resume(name));
            case WebhookVerb.Replay(String since, String after) ->
                done(hooks.replay(name, since.isEmpty() ? cursor(after) : stream.reader().since(moment(since))));
        };
    }

    private static Optional<String> done(boolean known) {
        return known ? Optional.of("") : Optional.empty();
    }

    private static StreamCursor cursor(String text) {
        return StreamCursor.parse(text).orElseThrow(() -> new IllegalArgumentException("not a cursor: " + text));
    }

    private Instant moment(String text) {
        try {
            return Units.DURATIONS.parse(text).map(clock.instant()::minusMillis).orElseGet(() -> Instant.parse(text));
        } catch (DateTimeParseException no) {
            throw new IllegalArgumentException("since must be such as 15m, 2h, 7d or 2027-01-31T08:00:00Z", no);
        }
    }
}
