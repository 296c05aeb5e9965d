package org.slipstream.smtpout;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Content;
import org.slipstream.core.DataSize;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.DeliveryResult.Answered;
import org.slipstream.core.queue.DeliveryResult.OwnFailure;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.smtpout.host.HostFinder;
import org.slipstream.smtpout.wire.LongLines;
import org.slipstream.testkit.SmtpSink;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.slipstream.smtpout.Post.transfer;
import static org.slipstream.testkit.Transcript.BYE;
import static org.slipstream.testkit.Transcript.HELLO;
import static org.slipstream.testkit.Transcript.TAKE;

/// Failures of this server: a stop at any time, content that cannot be read, defects. Every order
/// gets one reply.
class StoppingTest {
    private final EventLog events = new EventLog();

    @Test
    void aTransferInProgressIsFinishedBeforeTheEnd() {
        try (var server = SmtpSink.following(HELLO + """
                C MAIL FROM:*
                C RCPT TO:*
                C DATA
                S 250 ok
                S 250 ok
                S 354 go
                DATA
                GATE
                S 250 2.0.0 taken
                """ + BYE)) {
            var carriers = new Carriers(Post.patient(), events);
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1));
            await().atMost(Duration.ofSeconds(90)).until(() -> server.contents().size() == 1);
            Thread stopping = Thread.startVirtualThread(carriers::close);
            await().atMost(Duration.ofSeconds(90)).until(() -> stopping.getState() == Thread.State.TIMED_WAITING);
            server.release();
            assertThat(events.outcome(1)).isInstanceOf(Outcome.Delivered.class);
            await().atMost(Duration.ofSeconds(90)).until(() -> !stopping.isAlive());
            assertThat(server.commands()).endsWith("QUIT");
        }
    }

    @Test
    void connectionsThatAreStillBeingOpenedAreGivenUpAtOnce() {
        try (var server = SmtpSink.following("STALL\n")) {
            var carriers = new Carriers(Post.patient(), events);
            carriers.open(1, Post.route(server), false);
            await().atMost(Duration.ofSeconds(90)).until(() -> server.connections() == 1);
            carriers.close();
            assertThat(events.failed().reason()).isEqualTo(FailureReplies.stopping());
        }
    }

    @Test
    void aTransferThatDoesNotFinishIsCutAndAnswered() {
        try (var server = SmtpSink.following(HELLO + """
                C MAIL FROM:*
                C RCPT TO:*
                C DATA
                S 250 ok
                S 250 ok
                S 354 go
                DATA
                STALL
                """)) {
            var carriers = new Carriers(Post.patient().with(new ClientConfig.Ahead(1, 1, DataSize.ofMebibytes(1))),
                    events,
                    _ -> new HostFinder.HostAnswer.Found(List.of(InetAddress.ofLiteral("127.0.0.1"))),
                    new SplittableRandom(1));
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1));
            Post.deliver(carriers, 1, transfer(2));
            await().atMost(Duration.ofSeconds(90)).until(() -> server.contents().size() == 1);
            carriers.close(Duration.ofMillis(700));
            assertThat(events.ownFailure(1).reason()).isEqualTo(FailureReplies.stopping());
            assertThat(events.ownFailure(2).reason()).as("one that waited").isEqualTo(FailureReplies.stopping());
            assertThat(events.news()).hasSize(3);
        }
    }

    @Test
    void aLookupThatHangsDoesNotHoldUpTheStop() throws InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        var carriers = new Carriers(Post.patient(), events, _ -> {
            asked.countDown();
            try {
                over.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted", e);
            }
            return new HostFinder.HostAnswer.None("too late");
        }, new SplittableRandom(1));
        carriers.open(1, new Route.Smtp("x.example", List.of(new Route.Host("mx.example", 25, 0))), false);
        Post.deliver(carriers, 1, transfer(1));
        asked.await();
        carriers.close(Duration.ZERO);
        assertThat(events.failed().reason()).isEqualTo(FailureReplies.stopping());
        assertThat(events.ownFailure(1).reason()).isEqualTo(FailureReplies.stopping());
        over.countDown();
        assertThat(events.news()).hasSize(2);
    }

    @Test
    void afterTheStopEverythingIsAFailureOfOurOwn() {
        var carriers = new Carriers(Post.patient(), events);
        carriers.close();
        carriers.open(1, new Route.Lmtp("127.0.0.1:9"), false);
        assertThat(events.failed().reason()).isEqualTo(FailureReplies.stopping());
        Post.deliver(carriers, 1, transfer(1));
        assertThat(events.ownFailure(1).reason()).isEqualTo(FailureReplies.stopping());
    }

    @Test
    void aDeliveryForAConnectionThatNeverWasIsUnanswered() {
        try (var carriers = new Carriers(Post.patient(), events)) {
            Post.deliver(carriers, 99, transfer(1));
            assertThat(events.unanswered(1).connection()).isEqualTo(99);
            assertThat(events.unanswered(1).mayHaveArrived()).isFalse();
            carriers.close(99);
        }
    }

    @Test
    void aConnectionThatIsClosedBeforeItIsReadyHasFailedWithoutBlame() {
        try (var server = SmtpSink.following("STALL\n"); var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            await().atMost(Duration.ofSeconds(90)).until(() -> server.connections() == 1);
            carriers.close(1);
            assertThat(events.failed().reason()).isEqualTo(FailureReplies.closedByOrder());
            assertThat(events.failed().ours()).isTrue();
        }
    }

    @Test
    void aNumberIsNotUsedTwice() {
        try (var server = SmtpSink.following(HELLO + BYE); var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            assertThatThrownBy(() -> carriers.open(1, Post.route(server), false))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void contentThatCannotBeOpenedLeavesTheConnectionInPeace() {
        try (var server = SmtpSink.following(HELLO + TAKE + BYE); var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, content(() -> {
                throw new IOException("no such segment");
            })));
            assertThat(events.ownFailure(1)).isEqualTo(
                    new OwnFailure(1, 1, FailureReplies.unreadable(), DeliveryResult.Scope.MESSAGE, true));
            Post.deliver(carriers, 1, transfer(2));
            assertThat(events.outcome(2)).isInstanceOf(Outcome.Delivered.class);
        }
    }

    @Test
    void contentThatBreaksOffIsCutAndNeverEndedByADot() {
        byte[] part = ("x".repeat(70) + "\r\n").repeat(5000).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        InputStream bad = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("bad sector");
            }
        };
        Content content = content(() -> new SequenceInputStream(new ByteArrayInputStream(part), bad));
        try (var server = SmtpSink.following(HELLO.replace("S 250-sink", "S 250-sink\nS 250-8BITMIME") + """
                C MAIL FROM:*
                C RCPT TO:*
                C DATA
                S 250 ok
                S 250 ok
                S 354 go
                TORN
                """); var carriers = new Carriers(Post.patient().with(LongLines.SEND), events)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, content));
            assertThat(events.ownFailure(1)).isEqualTo(
                    new OwnFailure(1, 1, FailureReplies.unreadable(), DeliveryResult.Scope.MESSAGE, false));
            server.awaitIdle();
        }
    }

    @Test
    void aDefectIsAFailureOfOurOwn() {
        Content defective = content(() -> {
            throw new IllegalStateException("a bug");
        });
        try (var server = SmtpSink.following(HELLO + "EOF\n"); var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, defective));
            Post.deliver(carriers, 1, transfer(2));
            assertThat(events.ownFailure(1)).isEqualTo(
                    new OwnFailure(1, 1, FailureReplies.internal(), DeliveryResult.Scope.MESSAGE, false));
            assertThat(events.result(2)).isNotInstanceOf(Answered.class);
        }
    }

    @Test
    void anOwnerThatThrowsDoesNotStopTheCarrier() {
        CountDownLatch delivered = new CountDownLatch(1);
        CarrierEvents throwing = new CarrierEvents() {
            @Override
            public void ready(long connection) {
                throw new IllegalStateException("inbox full");
            }

            @Override
            public void failed(long connection, Reply reason, String remote, boolean ours,
                    OptionalLong retryAfterMillis, Optional<QueuePhase.Code> phase) {}

            @Override
            public void done(DeliveryResult result) {
                delivered.countDown();
            }

            @Override
            public void depth(long connection, int deliveries) {
                throw new IllegalStateException("inbox full");
            }

            @Override
            public void pipelinesBadly(long connection, String what) {}

            @Override
            public void lost(long connection, String reason) {}
        };
        try (var server = SmtpSink.following(HELLO + TAKE + BYE);
                var carriers = new Carriers(Post.patient(), throwing)) {
            carriers.open(1, Post.route(server), false);
            Post.deliver(carriers, 1, transfer(1));
            await().atMost(Duration.ofSeconds(90)).until(() -> delivered.getCount() == 0);
        }
    }

    @Test
    void everyDeliveryIsAnsweredOnceForAnyFailure() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        String[] fates = {TAKE + TAKE + BYE, TAKE + "DROP\n", "C MAIL*\nDROP\n", "C MAIL*\nCUT\n",
                "C MAIL*\nC RCPT*\nC DATA\nS 250 a\nS 250 b\nS 354 c\nDATA\nCUT\n", TAKE + "S 421 bye\n", "DROP\n"};
        String[] scripts = new String[200];
        for (int i = 0; i < scripts.length; i++) {
            scripts[i] = HELLO + fates[random.nextInt(fates.length)];
        }
        int rounds = 60;
        var server = SmtpSink.following(scripts);
        try (var carriers = new Carriers(Post.patient(), events)) {
            for (int i = 1; i <= rounds; i++) {
                carriers.open(i, Post.route(server), false);
            }
            for (int i = 0; i < 4 * rounds; i++) {
                Post.deliver(carriers, 1 + random.nextInt(rounds), transfer(i));
            }
            events.results(4 * rounds);
        }
        assertThat(events.results()).as("seed %d", seed).extracting(DeliveryResult::delivery).doesNotHaveDuplicates()
                .hasSize(4 * rounds);
        assertThat(events.news()).as("seed %d", seed)
                .filteredOn(e -> e instanceof EventLog.Ready || e instanceof EventLog.Failed).hasSize(rounds);
        long delivered = events.results().stream().filter(r -> r instanceof Answered a
                && a.outcomes().getFirst().outcome() instanceof Outcome.Delivered).count();
        assertThat(delivered).as("seed %d", seed).isLessThanOrEqualTo(server.contents().size());
        closeAnyway(server);
    }

    private static void closeAnyway(SmtpSink server) {
        try {
            server.close();
        } catch (AssertionError _) {
            // Scripts that end early while clients still send, by intention.
        }
    }

    private interface Opening {
        InputStream open() throws IOException;
    }

    private static Content content(Opening opening) {
        return new Content() {
            @Override
            public long sizeBytes() {
                return 10;
            }

            @Override
            public InputStream open() throws IOException {
                return opening.open();
            }
        };
    }
}
