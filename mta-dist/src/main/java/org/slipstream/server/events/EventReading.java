package org.slipstream.server.events;

import org.slipstream.admin.operations.EventOperations;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.events.stream.EventReader.EventPage;
import org.slipstream.events.stream.EventStream;
import org.slipstream.events.stream.StreamCursor;
import org.slipstream.events.stream.Subscribers;
import org.slipstream.events.webhook.Webhooks;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;

/// The questions of programs to the event stream.
public record EventReading(EventStream stream) implements EventOperations {
    /// The trouble of programs that miss events.
    public static Optional<TroubleView> trouble(EventStream stream) {
        return stream.trouble().map(reason -> new TroubleView("events", "",
                "none for mail; programs learn late, or never, what became of it", reason));
    }

    @Override
    public EventStart start(EventQuestion asked) throws IOException {
        if (asked.subscriber().isPresent()) {
            return stream.subscribers().place(asked.subscriber().get()).map(EventReading::at)
                    .orElseGet(() -> new EventStart.Refused(404, "no such subscriber: " + asked.subscriber().get()));
        }
        if (asked.since().isPresent()) {
            return at(stream.reader().since(asked.since().get()));
        }
        return cursor(asked.after().orElse(""));
    }

    private static EventStart cursor(String text) {
        return StreamCursor.parse(text).map(EventReading::at)
                .orElseGet(() -> new EventStart.Refused(400, "not a cursor: " + text));
    }

    private static EventStart at(StreamCursor cursor) {
        return new EventStart.At(cursor.toString());
    }

    @Override
    public EventsView read(String cursor, int limit, long waitMillis) throws IOException {
        try {
            EventPage page = stream.read(StreamCursor.parse(cursor).orElse(StreamCursor.OLDEST), limit, waitMillis);
            return new EventsView(page.lines(), page.next().toString());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the server stops");
        }
    }

    @Override
    public SubscribersView subscribers() {
        return new SubscribersView(stream.readers().stream()
                .map(each -> new SubscriberView(each.getKey(), each.getValue().toString())).toList());
    }

    @Override
    public EventStart move(String subscriber, Optional<String> after) throws IOException {
        if (subscriber.startsWith(Webhooks.PREFIX)) {
            return new EventStart.Refused(409, "a webhook has this name; mta webhook replay moves it");
        }
        if (!Subscribers.isName(subscriber)) {
            return new EventStart.Refused(400, "the name of a subscriber has a-z, 0-9 and -, 40 characters at most");
        }
        EventStart place = after.isPresent() ? cursor(after.get()) : at(stream.reader().end());
        if (place instanceof EventStart.At(String cursor)
                && !stream.subscribers().move(subscriber, StreamCursor.parse(cursor).orElseThrow())) {
            return new EventStart.Refused(409, "there are " + Subscribers.MOST + " subscribers already");
        }
        return place;
    }

    @Override
    public boolean forget(String subscriber) throws IOException {
        return stream.subscribers().forget(subscriber);
    }
}
