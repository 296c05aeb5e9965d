package org.slipstream.admin;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.admin.fake.FakeHosts;
import org.slipstream.admin.fake.FakeSuspensions;
import org.slipstream.admin.operations.EventOperations;
import org.slipstream.core.order.Right;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/// The questions of programs for events by method, path and query.
class EventsApiTest {
    private final List<String> asked = new CopyOnWriteArrayList<>();
    /// Those that a stream gets.
    private final BlockingQueue<EventOperations.EventsView> pages = new LinkedBlockingQueue<>();

    /// Notes each question.
    private final EventOperations events = new EventOperations() {
        @Override
        public EventStart start(EventQuestion question) {
            return question.subscriber().equals(Optional.of("nobody"))
                    ? new EventStart.Refused(404, "no such subscriber: nobody")
                    : new EventStart.At(question.after().orElse("1.1.0.0"));
        }

        @Override
        public EventsView read(String cursor, int limit, long waitMillis) {
            asked.add("read " + cursor + " " + limit + " " + waitMillis);
            if (waitMillis == 10_000) {
                try {
                    return Objects.requireNonNullElse(pages.poll(100, TimeUnit.MILLISECONDS),
                            new EventsView(List.of(), cursor));
                } catch (InterruptedException stop) {
                    throw new AssertionError(stop);
                }
            }
            return new EventsView(List.of("{\"kind\":\"accepted\"}", "{\"kind\":\"delivered\"}"), "1.1.9.1");
        }

        @Override
        public SubscribersView subscribers() {
            return new SubscribersView(List.of(new SubscriberView("billing", "1.1.9.1")));
        }

        @Override
        public EventStart move(String subscriber, Optional<String> after) {
            asked.add("move " + subscriber + " " + after);
            return new EventStart.At(after.orElse("1.1.9.1"));
        }

        @Override
        public boolean forget(String subscriber) {
            return subscriber.equals("billing");
        }
    };

    private ApiResponse ask(Right right, String method, String path, String query) throws IOException {
        return ask(Optional.of(events), right, method, path, query);
    }

    private ApiResponse ask(Optional<EventOperations> served, Right right, String method, String path, String query)
            throws IOException {
        return new Api(new FakeOperations(), new FakeHosts(), new FakeSuspensions(),
                PartsOfApi.events(served))
                .answer(method, Api.ROOT + path, query, new ApiCaller("tom", right, true));
    }

    @Test
    void aPageOfEventsIsMadeWhenTheRequestHasBeenAnswered() throws IOException {
        ApiResponse answer = ask(Right.READ, "GET", "events", "after=1.1.5.1&limit=1000&wait=25");
        assertThat(asked).isEmpty();
        assertThat(((LaterBody) answer.body()).get().text()).isEqualTo("{\"next\":\"1.1.9.1\",\"events\":[\n"
                + "{\"kind\":\"accepted\"},\n{\"kind\":\"delivered\"}\n]}\n");
        assertThat(asked).containsExactly("read 1.1.5.1 1000 25000");
    }

    @Test
    void aStreamHasAnIdForEachEventAndASignOfLife() throws IOException {
        ApiResponse answer = ask(Right.READ, "GET", "events/stream", "after=1.1.5.1");
        SentEvents sent = (SentEvents) answer.body();
        assertThat(asked).isEmpty();
        pages.add(new EventOperations.EventsView(List.of("{\"kind\":\"accepted\",\"cursor\":\"1.1.7.1\"}",
                "{\"kind\":\"delivered\",\"cursor\":\"1.1.9.1\"}"), "1.1.9.1"));
        assertThat(sent.next()).isEqualTo("id: 1.1.7.1\ndata: {\"kind\":\"accepted\",\"cursor\":\"1.1.7.1\"}\n\n"
                + "id: 1.1.9.1\ndata: {\"kind\":\"delivered\",\"cursor\":\"1.1.9.1\"}\n\n");
        pages.add(new EventOperations.EventsView(List.of(), "1.1.9.1"));
        assertThat(sent.next()).isEqualTo(":\n\n");
        assertThat(asked).containsExactly("read 1.1.5.1 100 10000", "read 1.1.9.1 100 10000");
        assertThat(ask(Right.READ, "GET", "events/stream", "limit=1").status()).isEqualTo(400);
    }

    /// A browser goes on where it lost the connection; a server that stops ends the stream.
    @Test
    void aStreamIsWrittenUntilTheServerStops(@TempDir Path home) throws IOException {
        pages.add(new EventOperations.EventsView(List.of("{\"cursor\":\"1.1.7.1\"}"), "1.1.7.1"));
        AdminServer server = AdminServer.bind(AdminSocket.in(home));
        try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(AdminSocket.in(home)))) {
            server.serve(new FakeOperations(), new FakeHosts(), new FakeSuspensions(),
                    PartsOfApi.events(Optional.of(events)), _ -> Optional.empty());
            client.write(ByteBuffer.wrap(("GET /api/v1/events?since=2027-01-31T08:00:00Z HTTP/1.1\r\nHost: x\r\n"
                    + "Accept: text/event-stream\r\nLast-Event-ID: 1.1.5.1\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII)));
            var in = new BufferedReader(Channels.newReader(client, StandardCharsets.UTF_8));
            assertThat(in.readLine()).startsWith("HTTP/1.1 200");
            List<String> head = new ArrayList<>();
            for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
                head.add(line);
            }
            assertThat(head).contains("Content-Type: text/event-stream", "Connection: close")
                    .noneMatch(line -> line.startsWith("Content-Length"));
            assertThat(in.readLine()).isEqualTo("id: 1.1.7.1");
            assertThat(asked).first().isEqualTo("read 1.1.5.1 100 10000");
            server.close();
            String rest = in.lines().reduce("", (one, other) -> other);
            assertThat(rest).isIn("", ":", "data: {\"cursor\":\"1.1.7.1\"}");
        } finally {
            server.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"limit=0", "limit=1001", "limit=x", "wait=26", "wait=-1", "since=yesterday",
            "after=1.1.5.1&since=2027-01-31T08:00:00Z", "after=1.1.5.1&subscriber=billing", "behind=1"})
    void aWrongQuestionIsRefusedBeforeAnythingIsRead(String query) throws IOException {
        assertThat(ask(Right.READ, "GET", "events", query).status()).isEqualTo(400);
        assertThat(asked).isEmpty();
    }

    @Test
    void onlyAnOperatorMovesSubscribers() throws IOException {
        assertThat(ask(Right.READ, "POST", "events/subscribers/billing/move", "").status()).isEqualTo(403);
        assertThat(ask(Right.OPERATE, "POST", "events/subscribers/billing/move", "after=1.1.2.1").status())
                .isEqualTo(200);
        assertThat(ask(Right.OPERATE, "POST", "events/subscribers/nobody/forget", "").status()).isEqualTo(404);
        assertThat(ask(Right.READ, "GET", "events", "subscriber=nobody").status()).isEqualTo(404);
        assertThat(asked).containsExactly("move billing Optional[1.1.2.1]");
    }

    @Test
    void aServerWithoutEventsSaysHowToGetThem() throws IOException {
        ApiResponse answer = ask(Optional.empty(), Right.READ, "GET", "events", "");
        assertThat(answer.status()).isEqualTo(501);
        assertThat(answer.body().toString()).contains("events.keep");
    }
}
