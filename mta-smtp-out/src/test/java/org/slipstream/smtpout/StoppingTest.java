package org.slipstream.smtpout;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Letter;
import org.slipstream.core.Outcome;
import org.slipstream.core.Route;
import org.slipstream.smtpout.host.HostFinder;
import org.slipstream.smtpout.wire.LongLines;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.slipstream.smtpout.Post.parcel;
import static org.slipstream.smtpout.ScriptedServer.BYE;
import static org.slipstream.smtpout.ScriptedServer.HELLO;
import static org.slipstream.smtpout.ScriptedServer.TAKE;

/// Trouble of our own: a stop in the middle of things, letters that cannot be read, defects. Everything is answered once.
class StoppingTest {
    private final RecordingHouse house = new RecordingHouse();

    @Test
    void aTransferInProgressIsFinishedBeforeTheEnd() {
        try (var server = ScriptedServer.of(HELLO + """
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
            var carriers = new Carriers(Post.patient(), house);
            carriers.open(1, server.route());
            house.ready();
            carriers.deliver(1, parcel(1));
            await().atMost(Duration.ofSeconds(90)).until(() -> server.contents().size() == 1);
            Thread stopping = Thread.startVirtualThread(carriers::close);
            await().atMost(Duration.ofSeconds(90)).until(() -> stopping.getState() == Thread.State.TIMED_WAITING);
            server.openGate();
            assertThat(house.done(1).only()).isInstanceOf(Outcome.Delivered.class);
            await().atMost(Duration.ofSeconds(90)).until(() -> !stopping.isAlive());
            assertThat(server.commands()).endsWith("QUIT");
        }
    }

    @Test
    void connectionsThatAreStillBeingOpenedAreGivenUpAtOnce() {
        try (var server = ScriptedServer.of("STALL\n")) {
            var carriers = new Carriers(Post.patient(), house);
            carriers.open(1, server.route());
            await().atMost(Duration.ofSeconds(90)).until(() -> server.connections() == 1);
            carriers.close();
            assertThat(house.failed().reason()).isEqualTo(Troubles.stopping());
        }
    }

    @Test
    void aTransferThatDoesNotFinishIsCutAndAnswered() {
        try (var server = ScriptedServer.of(HELLO + """
                C MAIL FROM:*
                C RCPT TO:*
                C DATA
                S 250 ok
                S 250 ok
                S 354 go
                DATA
                STALL
                """)) {
            var carriers = new Carriers(Post.patient(), house,
                    _ -> new HostFinder.Answer.Found(List.of(InetAddress.ofLiteral("127.0.0.1"))),
                    new SplittableRandom(1));
            carriers.open(1, server.route());
            house.ready();
            carriers.deliver(1, parcel(1));
            await().atMost(Duration.ofSeconds(90)).until(() -> server.contents().size() == 1);
            carriers.close(Duration.ofMillis(700));
            RecordingHouse.Done done = house.done(1);
            assertThat(done.reply()).isEqualTo(Troubles.stopping());
            assertThat(done.siteTrouble()).isFalse();
            assertThat(house.news()).hasSize(2);
        }
    }

    @Test
    void aLookupThatHangsDoesNotHoldUpTheStop() throws InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        var carriers = new Carriers(Post.patient(), house, _ -> {
            asked.countDown();
            try {
                over.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted", e);
            }
            return new HostFinder.Answer.None("too late");
        }, new SplittableRandom(1));
        carriers.open(1, new Route.Smtp("x.example", List.of(new Route.Host("mx.example", 25, 0))));
        carriers.deliver(1, parcel(1));
        asked.await();
        carriers.close(Duration.ZERO);
        assertThat(house.failed().reason()).isEqualTo(Troubles.stopping());
        assertThat(house.done(1).reply()).isEqualTo(Troubles.stopping());
        over.countDown();
        assertThat(house.news()).hasSize(2);
    }

    @Test
    void afterTheStopEverythingIsDeferred() {
        var carriers = new Carriers(Post.patient(), house);
        carriers.close();
        carriers.open(1, new Route.Lmtp("127.0.0.1:9"));
        assertThat(house.failed().reason()).isEqualTo(Troubles.stopping());
        carriers.deliver(1, parcel(1));
        assertThat(house.done(1).reply()).isEqualTo(Troubles.stopping());
    }

    @Test
    void aParcelForAConnectionThatNeverWasIsDeferredWithoutBlame() {
        try (var carriers = new Carriers(Post.patient(), house)) {
            carriers.deliver(99, parcel(1));
            RecordingHouse.Done done = house.done(1);
            assertThat(done.only()).isInstanceOf(Outcome.Deferred.class);
            assertThat(done.usable()).isFalse();
            assertThat(done.siteTrouble()).isFalse();
            carriers.close(99);
        }
    }

    @Test
    void aParcelInFrontOfADoorThatStaysShutIsDeferred() {
        try (var server = ScriptedServer.of("GATE\nS 421 4.3.2 no\n");
                var carriers = new Carriers(Post.patient(), house)) {
            carriers.open(1, server.route());
            carriers.deliver(1, parcel(1));
            server.openGate();
            assertThat(house.done(1).reply()).isEqualTo(house.failed().reason());
        }
    }

    @Test
    void aNumberIsNotUsedTwice() {
        try (var server = ScriptedServer.of(HELLO + BYE); var carriers = new Carriers(Post.patient(), house)) {
            carriers.open(1, server.route());
            house.ready();
            assertThatThrownBy(() -> carriers.open(1, server.route())).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aLetterThatCannotBeOpenedLeavesTheConnectionInPeace() {
        try (var server = ScriptedServer.of(HELLO + TAKE + BYE); var carriers = new Carriers(Post.patient(), house)) {
            carriers.open(1, server.route());
            house.ready();
            carriers.deliver(1, parcel(1, letter(() -> {
                throw new IOException("no such segment");
            })));
            RecordingHouse.Done done = house.done(1);
            assertThat(done.reply()).isEqualTo(Troubles.unreadable());
            assertThat(done.usable()).isTrue();
            assertThat(done.siteTrouble()).isFalse();
            carriers.deliver(1, parcel(2));
            assertThat(house.done(2).only()).isInstanceOf(Outcome.Delivered.class);
        }
    }

    @Test
    void aLetterThatBreaksOffIsCutAndNeverEndedByADot() {
        byte[] part = ("x".repeat(70) + "\r\n").repeat(5000).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        InputStream bad = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("bad sector");
            }
        };
        Letter letter = letter(() -> new SequenceInputStream(new ByteArrayInputStream(part), bad));
        try (var server = ScriptedServer.of(HELLO.replace("S 250-sink", "S 250-sink\nS 250-8BITMIME") + """
                C MAIL FROM:*
                C RCPT TO:*
                C DATA
                S 250 ok
                S 250 ok
                S 354 go
                TORN
                """); var carriers = new Carriers(Post.patient().with(LongLines.SEND), house)) {
            carriers.open(1, server.route());
            house.ready();
            carriers.deliver(1, parcel(1, letter));
            RecordingHouse.Done done = house.done(1);
            assertThat(done.reply()).isEqualTo(Troubles.unreadable());
            assertThat(done.usable()).isFalse();
            assertThat(done.siteTrouble()).isFalse();
            server.awaitEnd();
        }
    }

    @Test
    void aDefectIsAnsweredWithADeferralToo() {
        Letter defective = letter(() -> {
            throw new IllegalStateException("a bug");
        });
        try (var server = ScriptedServer.of(HELLO + "EOF\n"); var carriers = new Carriers(Post.patient(), house)) {
            carriers.open(1, server.route());
            house.ready();
            carriers.deliver(1, parcel(1, defective));
            carriers.deliver(1, parcel(2));
            RecordingHouse.Done done = house.done(1);
            assertThat(done.reply()).isEqualTo(Troubles.internal());
            assertThat(done.usable()).isFalse();
            assertThat(house.done(2).only()).isInstanceOf(Outcome.Deferred.class);
        }
    }

    @Test
    void aHouseThatThrowsDoesNotStopTheCarrier() {
        CountDownLatch delivered = new CountDownLatch(1);
        CarrierEvents throwing = new CarrierEvents() {
            @Override
            public void ready(long connection) {
                throw new IllegalStateException("inbox full");
            }

            @Override
            public void failed(long connection, org.slipstream.core.Reply reason, String remote) {}

            @Override
            public void done(long delivery, long connection, List<org.slipstream.core.RecipientOutcome> outcomes,
                    boolean usable, boolean siteTrouble) {
                delivered.countDown();
            }

            @Override
            public void lost(long connection, String reason) {}
        };
        try (var server = ScriptedServer.of(HELLO + TAKE + BYE);
                var carriers = new Carriers(Post.patient(), throwing)) {
            carriers.open(1, server.route());
            carriers.deliver(1, parcel(1));
            await().atMost(Duration.ofSeconds(90)).until(() -> delivered.getCount() == 0);
        }
    }

    @Test
    void whateverBreaksEveryParcelIsAnsweredOnce() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        String[] fates = {TAKE + TAKE + BYE, TAKE + "DROP\n", "C MAIL*\nDROP\n", "C MAIL*\nCUT\n",
                "C MAIL*\nC RCPT*\nC DATA\nS 250 a\nS 250 b\nS 354 c\nDATA\nCUT\n", TAKE + "S 421 bye\n", "DROP\n"};
        String[] scripts = new String[200];
        for (int i = 0; i < scripts.length; i++) {
            scripts[i] = HELLO + fates[random.nextInt(fates.length)];
        }
        int rounds = 60;
        var server = ScriptedServer.of(scripts);
        try (var carriers = new Carriers(Post.patient(), house)) {
            for (int i = 1; i <= rounds; i++) {
                carriers.open(i, server.route());
            }
            for (int i = 0; i < 4 * rounds; i++) {
                carriers.deliver(1 + random.nextInt(rounds), parcel(i));
            }
            await().atMost(Duration.ofSeconds(90)).until(() -> dones() == 4 * rounds);
        }
        assertThat(dones()).as("seed %d", seed).isEqualTo(4 * rounds);
        assertThat(house.news().stream().filter(RecordingHouse.Done.class::isInstance)
                .map(n -> ((RecordingHouse.Done) n).delivery()).distinct()).as("seed %d", seed).hasSize(4 * rounds);
        assertThat(house.news().stream().filter(n -> n instanceof RecordingHouse.Ready
                || n instanceof RecordingHouse.Failed)).as("seed %d", seed).hasSize(rounds);
        long delivered = house.news().stream().filter(n -> n instanceof RecordingHouse.Done d
                && d.only() instanceof Outcome.Delivered).count();
        long taken = server.contents().size();
        assertThat(delivered).as("seed %d", seed).isLessThanOrEqualTo(taken);
        closeAnyway(server);
    }

    private static void closeAnyway(ScriptedServer server) {
        try {
            server.close();
        } catch (AssertionError _) {
            // Scripts that end early meet clients that have more to say; that is the point.
        }
    }

    private long dones() {
        return house.news().stream().filter(RecordingHouse.Done.class::isInstance).count();
    }

    private interface Opening {
        InputStream open() throws IOException;
    }

    private static Letter letter(Opening opening) {
        return new Letter() {
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
