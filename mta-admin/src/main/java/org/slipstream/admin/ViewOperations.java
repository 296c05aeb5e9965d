package org.slipstream.admin;

import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Views of the whole server, as the API uses them. Called on HTTP threads; they change nothing.
public interface ViewOperations {
    /// The ages of a bounded part of the queue after `after`.
    ShapePage shape(ShapeBy by, Optional<QueueId> after) throws IOException;

    Activity activity() throws IOException;

    enum ShapeBy {
        DESTINATION, SENDER
    }

    /// @param next the value of `after` for the next part; absent on the last
    record ShapePage(List<ShapeRow> rows, Optional<String> next) {}

    /// The messages that wait for a destination, or those of a sender's domain, by age.
    ///
    /// @param name a domain; `<>` for the null sender
    /// @param ages the number of messages up to 5, 10, 20, 40, 80, 160, 320, 640 and 1280 minutes,
    ///     and of older ones, as Postfix's `qshape`
    /// @param held the number of these that an operator holds
    /// @param state `dead until …` or `suspended …` with the reason; empty for others
    /// @param lastReply the latest reply for a waiting recipient; empty before the first attempt
    /// @param lastAt its time, ISO 8601 in UTC
    record ShapeRow(String name, List<Long> ages, long held, String state, String lastReply, String lastAt) {
        public long total() {
            return ages.stream().mapToLong(Long::longValue).sum();
        }
    }

    /// The load of a server at one moment.
    ///
    /// @param at ISO 8601 in UTC
    /// @param messages in the queue; absent, as is `held`, while the queue index is unavailable
    /// @param counters since the start, by their names in [RFC
    ///     2789](https://www.rfc-editor.org/rfc/rfc2789)
    /// @param destinations in memory, the busiest first, and those with recent errors
    record Activity(String at, String hostname, String started, Optional<Long> messages, Optional<Long> held,
            int active,
            Operations.ConnectionsView connections, Map<String, Long> counters,
            List<SuspensionOperations.SuspensionView> suspensions,
            List<BusyDestination> destinations) {}

    /// @param state `live`, `dead`, `suspended` (by an operator), `paused` (rate delay), `idle` (not in
    ///     memory)
    /// @param until end of the state, ISO 8601 in UTC, as are the other times; empty when unknown
    /// @param window deliveries that may run at once
    /// @param limit of the window; 0: none
    /// @param waiting deliveries in memory
    /// @param oldest arrival of the oldest message in memory that waits
    /// @param lastError the latest reply that deferred or returned a recipient
    record BusyDestination(String transport, String nextHop, String state, String until, int window, int limit,
            int connections, int running, int waiting, String oldest, String lastError, String lastErrorAt) {}
}
