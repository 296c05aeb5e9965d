package org.slipstream.smtpout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Content;
import org.slipstream.core.queue.DeliveryResult.Answered;
import org.slipstream.core.queue.Outcome;
import org.slipstream.testkit.SmtpSink;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CountDownLatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.smtpout.Post.transfer;
import static org.slipstream.testkit.Transcript.HELLO;
import static org.slipstream.testkit.Transcript.TAKE;

/// Connections that the peer closes while they are idle, or just when they are used again.
class StaleConnectionsTest {
    private final EventLog events = new EventLog();
    private final Carriers carriers = new Carriers(Post.patient(), events);

    @AfterEach
    void stop() {
        carriers.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"DROP", "CUT", "S 421 4.4.2 idle too long"})
    void theEndOfAnIdleConnectionIsReported(String end) {
        try (var server = SmtpSink.following(HELLO + TAKE + "GATE\n" + end + "\n")) {
            firstMessage(server);
            server.release();
            assertThat(events.lost().connection()).isEqualTo(1);
            assertThat(events.lost().reason()).containsAnyOf("closed by peer", "reset", "421 4.4.2 idle too long");
        }
    }

    /// The first bytes of the message were all that left, so the message goes over another
    /// connection and no host is to blame.
    @ParameterizedTest
    @ValueSource(strings = {"DROP", "CUT"})
    void aPeerThatClosesJustAsTheNextMessageComesIsLostAndTheMessageUnanswered(String end) {
        try (var server = SmtpSink.following(HELLO + TAKE + "C MAIL FROM:*\n" + end + "\n")) {
            firstMessage(server);
            Post.deliver(carriers, 1, transfer(2));
            assertThat(events.unanswered(2).mayHaveArrived()).isFalse();
            assertThat(events.unanswered(2).reason().status()).hasToString("Optional[4.4.2]");
            assertThat(events.news()).as("the loss comes first").extracting(e -> e.getClass().getSimpleName())
                    .containsExactly("Ready", "Answered", "Lost", "Unanswered");
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void aPeerThatClosesAfterItHasReactedToTheMessageHasBroken() {
        try (var server = SmtpSink.following(HELLO + TAKE + "C MAIL FROM:*\nC RCPT*\nC DATA\nS 250 ok\nDROP\n")) {
            firstMessage(server);
            Post.deliver(carriers, 1, transfer(2));
            assertThat(events.unanswered(2).mayHaveArrived()).isFalse();
            assertThat(events.all(EventLog.Lost.class)).isEmpty();
        }
    }

    @Test
    void aDeliveryThatCrossesTheNewsOfTheLossIsUnanswered() {
        try (var server = SmtpSink.following(HELLO + TAKE + "GATE\nDROP\n")) {
            firstMessage(server);
            server.release();
            events.lost();
            Post.deliver(carriers, 1, transfer(2));
            assertThat(events.unanswered(2).reason()).isEqualTo(FailureReplies.noSuchConnection());
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void aDeliveryThatWaitsWhileThePeerLeavesIsUnanswered() {
        CountDownLatch handedOver = new CountDownLatch(1);
        try (var server = SmtpSink.following(HELLO + TAKE + "DROP\n")) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            // The second delivery is in the mailbox before the first is answered, and the loss
            // comes with that answer.
            Post.deliver(carriers, 1, transfer(1, content(handedOver)));
            Post.deliver(carriers, 1, transfer(2));
            handedOver.countDown();
            assertThat(events.outcome(1)).isInstanceOf(Outcome.Delivered.class);
            assertThat(events.unanswered(2).mayHaveArrived()).isFalse();
        }
    }

    @Test
    void aPeerThatHangsUpOnResetIsNoticed() {
        try (var server = SmtpSink.following(HELLO + """
                C MAIL FROM:*
                C RCPT TO:*
                C DATA
                S 250 ok
                S 550 5.1.1 unknown
                S 554 nobody
                C RSET
                S 421 4.7.0 too many errors
                """)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1));
            assertThat(events.answered(1).usable()).isTrue();
            assertThat(events.lost().reason()).isEqualTo("421 4.7.0 too many errors");
        }
    }

    private static Content content(CountDownLatch opened) {
        Content plain = Post.content(Post.LETTER);
        return new Content() {
            @Override
            public long sizeBytes() {
                return plain.sizeBytes();
            }

            @Override
            public InputStream open() throws IOException {
                try {
                    opened.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                return plain.open();
            }
        };
    }

    private void firstMessage(SmtpSink server) {
        carriers.open(1, Post.route(server), false);
        events.ready();
        Post.deliver(carriers, 1, transfer(1));
        assertThat(events.answered(1).usable()).isTrue();
    }
}
