package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.admin.operations.EventOperations;
import org.slipstream.admin.operations.EventOperations.EventQuestion;
import org.slipstream.admin.operations.EventOperations.EventStart;
import org.slipstream.admin.operations.EventOperations.EventsView;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;

import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The resources `events` and `events/subscribers`.
final class EventsApi {
    private static final int DEFAULT_LIMIT = 100;
    private static final int HIGHEST_LIMIT = 1000;
    /// Less than the time for which a response may take.
    private static final int LONGEST_WAIT = 25;
    private static final int HEARTBEAT_MILLIS = 10_000;

    private final Optional<EventOperations> operations;

    EventsApi(Optional<EventOperations> operations) {
        this.operations = operations;
    }

    List<ApiResource> resources() {
        ApiParameter author = ApiParameter.of(OrderForm.AUTHOR, "who ordered it");
        return List.of(
                ApiResource.get("events", Right.READ, "The events of mail; waits for the next one on request.", List.of(
                        ApiParameter.of("after",
                                "the cursor of the last event that the caller has; absent: the oldest"),
                        ApiParameter.of("subscriber", "begins behind the place that is stored under this name"),
                        ApiParameter.of("since", "the time of the first event, such as 2027-01-31T08:00:00Z"),
                        ApiParameter.of("limit", "events at most, from 1 to " + HIGHEST_LIMIT),
                        ApiParameter.of("wait", "seconds to wait for an event, up to " + LONGEST_WAIT)), this::events),
                ApiResource.get("events/stream", Right.READ,
                        "The events of mail as server-sent events; the same as events with Accept: text/event-stream.",
                        List.of(ApiParameter.of("after", "the cursor of the last event that the caller has; absent: the"
                                + " oldest; the header Last-Event-ID is stronger"),
                                ApiParameter.of("subscriber", "begins behind the place that is stored under this name"),
                                ApiParameter.of("since", "the time of the first event, such as 2027-01-31T08:00:00Z")),
                        this::stream),
                ApiResource.get("events/subscribers", Right.READ, "The subscribers, with their places.",
                        _ -> with(events -> ApiResponse.ok(events.subscribers()))),
                ApiResource.post("events/subscribers/{name}/move", Right.OPERATE,
                        "Stores the place of a subscriber, and makes one that is new.",
                        List.of(ApiParameter.of("after", "a cursor; absent: behind the latest event"), author),
                        query -> with(events -> started(events.move(name(query), query.get("after")),
                                cursor -> ApiResponse.ok(Map.of("subscriber", name(query), "cursor", cursor))))),
                ApiResource.post("events/subscribers/{name}/forget", Right.OPERATE, "Ends a subscription.",
                        List.of(author), query -> with(events -> events.forget(name(query))
                                ? ApiResponse.ok(Map.of("forgotten", name(query)))
                                : ApiResponse.notFound("no such subscriber: " + name(query)))));
    }

    private static String name(Query query) {
        return query.get("name").orElse("");
    }

    @FunctionalInterface
    private interface EventAction {
        ApiResponse on(EventOperations events) throws IOException;
    }

    private ApiResponse with(EventAction action) throws IOException {
        return operations.isEmpty()
                ? none()
                : action.on(operations.get());
    }

    static ApiResponse none() {
        return ApiResponse.error(501, "no events are written; set events.keep = \"7d\" and restart the server");
    }

    private ApiResponse stream(Query query) throws IOException {
        return started(query, DEFAULT_LIMIT, (events, cursor) -> new SentEvents() {
            private String reached = cursor;

            @Override
            public String next() throws IOException {
                EventsView page = events.read(reached, DEFAULT_LIMIT, HEARTBEAT_MILLIS);
                reached = page.next();
                return page.lines().isEmpty()
                        ? ":\n\n"
                        : page.lines().stream().map(line -> "id: " + cursorOf(line) + "\ndata: " + line + "\n\n")
                                .collect(Collectors.joining());
            }
        });
    }

    /// Each line ends with its cursor.
    private static String cursorOf(String line) {
        return line.substring(line.lastIndexOf(":\"") + 2, line.length() - 2);
    }

    private ApiResponse events(Query query) throws IOException {
        Optional<Integer> limit = query.number("limit", DEFAULT_LIMIT, 1, HIGHEST_LIMIT);
        Optional<Integer> wait = query.number("wait", 0, 0, LONGEST_WAIT);
        if (limit.isEmpty() || wait.isEmpty()) {
            return ApiResponse.badRequest(limit.isEmpty()
                    ? "limit is not a number from 1 to " + HIGHEST_LIMIT
                    : "wait is not a number from 0 to " + LONGEST_WAIT);
        }
        return started(query, limit.get(), (events, cursor) -> (LaterBody) () -> json(
                events.read(cursor, limit.get(), wait.get() * 1000L)));
    }

    @FunctionalInterface
    private interface EventsBody {
        Object from(EventOperations events, String cursor);
    }

    private ApiResponse started(Query query, int limit, EventsBody body) throws IOException {
        Optional<Instant> since = query.get("since").flatMap(EventsApi::time);
        if (query.get("since").isPresent() && since.isEmpty()) {
            return ApiResponse.badRequest("since is not a time such as 2027-01-31T08:00:00Z");
        }
        if (List.of("after", "subscriber", "since").stream().filter(each -> query.get(each).isPresent()).count() > 1) {
            return ApiResponse.badRequest("give one of after, subscriber and since");
        }
        EventQuestion question = new EventQuestion(query.get("after"), query.get("subscriber"), since, limit);
        return with(events -> started(events.start(question),
                cursor -> ApiResponse.ok(body.from(events, cursor))));
    }

    private static Optional<Instant> time(String text) {
        try {
            return Optional.of(Instant.parse(text));
        } catch (DateTimeParseException no) {
            return Optional.empty();
        }
    }

    @FunctionalInterface
    private interface CursorAnswer {
        ApiResponse at(String cursor);
    }

    private static ApiResponse started(EventStart start, CursorAnswer answer) {
        return switch (start) {
            case EventStart.At(String cursor) -> answer.at(cursor);
            case EventStart.Refused(int status, String sentence) -> ApiResponse.error(status, sentence);
        };
    }

    /// The events are JSON already. Each stands in a line of its own.
    private static PlainText json(EventsView page) {
        return new PlainText(
                "{\"next\":\"" + page.next() + "\",\"events\":[\n" + String.join(",\n", page.lines()) + "\n]}\n",
                PlainText.JSON);
    }
}
