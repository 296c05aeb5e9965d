package org.slipstream.admin.operations;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The events of mail, and the programs that read them. Called on HTTP threads.
public interface EventOperations {
    /// A program that reads, or one that looks.
    ///
    /// @param after the cursor of the last event that it has
    /// @param subscriber its name; it begins behind the place that is stored
    /// @param since the time of the first event
    /// @param limit of events
    record EventQuestion(Optional<String> after, Optional<String> subscriber, Optional<Instant> since, int limit) {}

    sealed interface EventStart {
        /// @param cursor where to read
        record At(String cursor) implements EventStart {}

        /// @param sentence for the caller
        record Refused(int status, String sentence) implements EventStart {}
    }

    /// @param lines each one event as JSON
    /// @param next the cursor behind them
    record EventsView(List<String> lines, String next) {}

    record SubscriberView(String name, String cursor) {}

    record SubscribersView(List<SubscriberView> subscribers) {}

    /// Where the answer to a question begins. Changes nothing.
    EventStart start(EventQuestion asked) throws IOException;

    /// The next events behind a place; waits when there are none.
    EventsView read(String cursor, int limit, long waitMillis) throws IOException;

    SubscribersView subscribers();

    /// Moves a subscriber, and makes it when it is new.
    ///
    /// @param after empty: behind the latest event
    EventStart move(String subscriber, Optional<String> after) throws IOException;

    /// @return false when there is none of this name
    boolean forget(String subscriber) throws IOException;
}
