package org.slipstream.smtpout;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.DataSize;
import org.slipstream.core.queue.DeliveryResult.Answered;
import org.slipstream.core.queue.DeliveryResult.Unanswered;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.smtpout.EventLog.Failed;
import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Five messages under way on one connection, and the connection breaks at every single byte, of
/// the client's octets and of the peer's replies. Deliveries that return are sent again. Each
/// message arrives once, except those that the carrier reported as possible duplicates; a reply is
/// final.
@Tag("FI-38")
class DropEverywhereTest {
    private static final int MESSAGES = 5;
    private static final ClientConfig CONFIG = Post.patient()
            .with(new ClientConfig.Ahead(MESSAGES, 50, DataSize.ofMebibytes(1)));

    @Test
    void bdatAndThePeerReadsNoFurther() throws IOException {
        assertThat(everywhere(true, "PIPELINING", "CHUNKING")).isGreaterThan(500);
    }

    @Test
    void bdatAndThePeerAnswersNoFurther() throws IOException {
        assertThat(everywhere(false, "PIPELINING", "CHUNKING")).isGreaterThan(300);
    }

    @Test
    void dataAndThePeerReadsNoFurther() throws IOException {
        assertThat(everywhere(true, "PIPELINING")).isGreaterThan(450);
    }

    @Test
    void dataAndThePeerAnswersNoFurther() throws IOException {
        assertThat(everywhere(false, "PIPELINING")).isGreaterThan(200);
    }

    @Test
    void oneByOneAndThePeerReadsNoFurther() throws IOException {
        assertThat(everywhere(true)).isGreaterThan(450);
    }

    /// Breaks connections later and later until one does not break. Returns how many broke.
    private static int everywhere(boolean whileReading, String... extensions) throws IOException {
        for (int position = 1;; position++) {
            if (!breaksAt(position, whileReading, extensions)) {
                return position - 1;
            }
        }
    }

    private static boolean breaksAt(int position, boolean whileReading, String... extensions) throws IOException {
        EventLog events = new EventLog();
        SinkScript sound = Post.accepting(extensions);
        SinkScript broken = whileReading ? sound.closesAfterReading(position) : sound.closesAfterWriting(position);
        try (SmtpSink sink = SmtpSink.start(connection -> connection == 1 ? broken : sound);
                Carriers carriers = Post.carriers(CONFIG, events)) {
            Set<Long> answered = new HashSet<>();
            Set<Long> doubtful = new TreeSet<>();
            List<Long> toSend = new ArrayList<>(IntStream.rangeClosed(1, MESSAGES).mapToObj(i -> (long) i).toList());
            for (int connection = 1; !toSend.isEmpty(); connection++) {
                carriers.open(connection, Post.route(sink), false);
                for (long delivery : toSend) {
                    Post.deliver(carriers, connection, message(delivery));
                }
                int expected = toSend.size();
                toSend.clear();
                for (int answers = 0; answers < expected;) {
                    switch (events.next()) {
                        case Answered done -> {
                            answers++;
                            assertThat(answered.add(done.delivery())).as("answered once").isTrue();
                            assertThat(done.outcomes()).extracting(RecipientOutcome::outcome)
                                    .allMatch(Outcome.Delivered.class::isInstance);
                        }
                        case Unanswered returned -> {
                            answers++;
                            assertThat(answered).doesNotContain(returned.delivery());
                            toSend.add(returned.delivery());
                            if (returned.mayHaveArrived()) {
                                doubtful.add(returned.delivery());
                            }
                        }
                        default -> {
                        }
                    }
                }
                assertThat(connection).as("%d: the second connection does not break", position).isLessThanOrEqualTo(2);
            }
            for (long delivery = 1; delivery <= MESSAGES; delivery++) {
                String content = message(delivery).delivery().id().toString();
                long copies = sink.messages().stream().filter(t -> t.text().contains(content)).count();
                assertThat(copies).as("copies of %d, cut at %d", delivery, position)
                        .isBetween(1L, doubtful.contains(delivery) ? 2L : 1L);
            }
            assertThat(sink.messages()).allSatisfy(taken -> {
                // No message was sent under another one's envelope.
                String number = taken.text().replaceFirst("(?s).*number (\\d+).*", "$1");
                assertThat(taken.sender()).isEqualTo("me@here.example");
                assertThat(taken.recipients()).containsExactly("you" + number + "@there.example");
            });
            return events.all().stream().anyMatch(n -> n instanceof Unanswered || n instanceof Failed);
        }
    }

    private static Transfer message(long delivery) {
        Transfer number = Post.transfer(delivery, "you" + delivery + "@there.example");
        return Post.transfer(delivery, Post.content(number.delivery().id() + " number " + delivery + "\r\n.\r\n"),
                "you" + delivery + "@there.example");
    }
}
