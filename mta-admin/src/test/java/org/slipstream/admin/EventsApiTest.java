package org.slipstream.admin;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.admin.fake.FakeHosts;
import org.slipstream.admin.fake.FakeSuspensions;
import org.slipstream.admin.operations.EventOperations;
import org.slipstream.core.order.Right;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// The questions of programs for events by method, path and query.
class EventsApiTest {
    private final List<String> asked = new ArrayList<>();

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
