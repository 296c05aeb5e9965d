package org.slipstream.smtpout;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Letter;
import org.slipstream.core.Outcome;
import org.slipstream.smtpout.ReseatingHouse.Badly;
import org.slipstream.smtpout.ReseatingHouse.Depth;
import org.slipstream.smtpout.ReseatingHouse.Done;
import org.slipstream.smtpout.ReseatingHouse.Lost;
import org.slipstream.smtpout.ReseatingHouse.Returned;
import org.slipstream.smtpout.dialog.ReplyParser;
import org.slipstream.smtpout.host.HostFinder;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.slipstream.smtpout.Post.parcel;

/// A house that finds another seat for what was not answered: what it hears, and when.
@Tag("FI-38")
class ReseatingTest {
    private static final String HELLO = """
            S 220 sink
            C EHLO me.example
            S 250-sink
            S 250-PIPELINING
            S 250 CHUNKING
            """;
    private static final String TAKE = """
            C MAIL FROM:<*>*
            C RCPT TO:<*>
            CHUNK LAST
            S 250 2.1.0 ok
            S 250 2.1.5 ok
            S 250 2.0.0 taken
            """;
    private final ReseatingHouse house = new ReseatingHouse();

    @Test
    void aPeerThatBreaksIsSpokenToPlainlyAndTheMessagesGoOneByOne() throws IOException {
        String breaks = HELLO + """
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                CHUNK LAST
                S 250 ok
                S 250 ok
                S 502 5.5.2 BDAT?
                EOF
                """;
        String plain = HELLO + """
                C MAIL FROM:<*>*
                S 250 ok
                C RCPT TO:<*>
                S 250 ok
                C DATA
                S 354 go
                DATA
                S 250 2.0.0 taken
                C MAIL FROM:<*>*
                S 250 ok
                C RCPT TO:<*>
                S 250 ok
                C DATA
                S 354 go
                DATA
                S 250 2.0.0 taken
                """ + ScriptedServer.BYE;
        try (var server = ScriptedServer.of(breaks, plain);
                var carriers = Post.carriers(Post.patient().with(new ClientConfig.Ahead(1, 50, 1 << 20)), house)) {
            carriers.open(1, server.route());
            carriers.deliver(1, parcel(1));
            house.await(Badly.class, _ -> true);
            assertThat(house.await(Returned.class, _ -> true).mayHaveArrived()).isTrue();
            carriers.open(2, server.route());
            carriers.deliver(2, parcel(1));
            carriers.deliver(2, parcel(2));
            house.awaitAnswers(3);
            assertThat(house.heard()).filteredOn(Depth.class::isInstance).extracting(n -> ((Depth) n).parcels())
                    .containsExactly(1, 1);
            assertThat(server.contents()).hasSize(3);
        }
    }

    @Test
    void aHouseThatRemembersOpensPlainly() {
        String plain = HELLO + """
                C MAIL FROM:<*>*
                S 250 ok
                C RCPT TO:<*>
                S 250 ok
                C DATA
                S 354 go
                DATA
                S 250 2.0.0 taken
                """ + ScriptedServer.BYE;
        try (var server = ScriptedServer.of(plain); var carriers = Post.carriers(Post.patient(), house)) {
            carriers.open(1, server.route(), true);
            carriers.deliver(1, parcel(1));
            house.await(Done.class, done -> done.usable());
        }
    }

    @Test
    void aWholeMessageForAPeerThatIsJustLeavingMayHaveArrived() {
        try (var server = ScriptedServer.of(HELLO + TAKE + "C MAIL FROM:*\nDROP\n");
                var carriers = Post.carriers(Post.patient(), house)) {
            carriers.open(1, server.route());
            carriers.deliver(1, parcel(1));
            house.await(Done.class, _ -> true);
            carriers.deliver(1, parcel(2));
            assertThat(house.await(Returned.class, _ -> true).mayHaveArrived()).isTrue();
            assertThat(server.connections()).as("the house decides where it goes").isEqualTo(1);
        }
        assertThat(house.everything()).noneMatch(Badly.class::isInstance);
    }

    @Test
    void afterAPauseThePeerAnswersBeforeAMessageIsSentToItsEnd() throws IOException {
        String answersFirst = """
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                S 250 2.1.0 ok
                S 250 2.1.5 ok
                CHUNK LAST
                S 250 2.0.0 taken
                """;
        String closes = """
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                DROP
                """;
        try (var server = ScriptedServer.of(HELLO + TAKE + answersFirst + closes);
                var carriers = Post.carriers(Post.patient().with(new ClientConfig.Ahead(2, 50, 1 << 20, 0)), house)) {
            carriers.open(1, server.route());
            for (int i = 1; i <= 2; i++) {
                carriers.deliver(1, parcel(i));
                house.await(Done.class, _ -> true);
            }
            carriers.deliver(1, parcel(3));
            house.await(Lost.class, _ -> true);
            assertThat(house.await(Returned.class, _ -> true).mayHaveArrived()).isFalse();
        }
    }

    @Test
    void onlyMessagesWhoseEndWasSentMayHaveArrived() {
        try (var server = ScriptedServer.of(HELLO + """
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                CHUNK LAST
                C RSET
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                CHUNK
                DROP
                """);
                var carriers = Post.carriers(Post.patient().with(new ClientConfig.Ahead(5, 50, 1 << 30)), house)) {
            carriers.open(1, server.route());
            carriers.deliver(1, parcel(1));
            carriers.deliver(1, Post.parcel(2, Post.letter(("x".repeat(70) + "\r\n").repeat(500_000))));
            house.awaitAnswers(2);
        }
        assertThat(house.everything()).filteredOn(Returned.class::isInstance).extracting(
                n -> ((Returned) n).delivery(), n -> ((Returned) n).mayHaveArrived())
                .containsExactly(tuple(1L, true), tuple(2L, false));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            250 2.0.0 queued as | true
            250-2.0.0 queued as | true
            550 5.7.1 spam      | false
            """)
    void aReplyToTheEndOfAMessageThatIsTooLongIsADecisionAllTheSame(String begins, boolean taken) {
        try (var server = ScriptedServer.of(HELLO + """
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                CHUNK LAST
                S 250 ok
                S 250 ok
                S LONG
                EOF
                """.replace("LONG", begins + " " + "x".repeat(ReplyParser.MAX_LINE_BYTES)));
                var carriers = Post.carriers(Post.patient(), house)) {
            carriers.open(1, server.route());
            carriers.deliver(1, parcel(1));
            Outcome outcome = house.await(Done.class, _ -> true).outcomes().getFirst().outcome();
            assertThat(outcome instanceof Outcome.Delivered).isEqualTo(taken);
            assertThat(outcome instanceof Outcome.Failed).isEqualTo(!taken);
            house.await(Lost.class, _ -> true);
        }
    }

    @Test
    void aReplyThatBeginsWith250AndIsCutOffIsASuccess() {
        try (var server = ScriptedServer.of(HELLO + """
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                CHUNK LAST
                S 250 ok
                S 250 ok
                RAW 250 2.0.0 queu
                DROP
                """); var carriers = Post.carriers(Post.patient(), house)) {
            carriers.open(1, server.route());
            carriers.deliver(1, parcel(1));
            assertThat(house.await(Done.class, _ -> true).outcomes().getFirst().outcome())
                    .isInstanceOf(Outcome.Delivered.class);
        }
    }

    @Test
    void aParcelForAConnectionThatIsGoneComesBack() {
        try (var server = ScriptedServer.of(HELLO + TAKE + "DROP\n");
                var carriers = Post.carriers(Post.patient(), house)) {
            carriers.open(1, server.route());
            carriers.deliver(1, parcel(1));
            house.await(Lost.class, _ -> true);
            carriers.deliver(1, parcel(2));
            assertThat(house.await(Returned.class, _ -> true).mayHaveArrived()).isFalse();
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void parcelsBeforeADoorThatStaysShutComeBack() {
        try (var server = ScriptedServer.of("GATE\nS 421 4.3.2 no\n");
                var carriers = Post.carriers(Post.patient(), house)) {
            carriers.open(1, server.route());
            carriers.deliver(1, parcel(1));
            carriers.deliver(1, parcel(2));
            server.openGate();
            house.await(ReseatingHouse.Failed.class, _ -> true);
            house.awaitAnswers(2);
            assertThat(house.heard()).noneMatch(Done.class::isInstance);
        }
    }

    @Test
    void aLetterThatBreaksOffCostsNobodyElseAnything() throws IOException {
        byte[] part = ("x".repeat(70) + "\r\n").repeat(2000).getBytes(StandardCharsets.US_ASCII);
        Letter torn = new Letter() {
            @Override
            public long sizeBytes() {
                return 1_000_000;
            }

            @Override
            public InputStream open() {
                return new SequenceInputStream(new ByteArrayInputStream(part), new InputStream() {
                    @Override
                    public int read() throws IOException {
                        throw new IOException("bad sector");
                    }
                });
            }
        };
        try (Sink sink = new Sink(Sink.Faults.NONE, "PIPELINING", "CHUNKING");
                Carriers carriers = Post.carriers(Post.patient().with(new ClientConfig.Ahead(5, 50, 10 << 20)),
                        house)) {
            carriers.open(1, sink.route());
            for (int i = 1; i <= 5; i++) {
                carriers.deliver(1, i == 3 ? Post.parcel(i, torn) : parcel(i));
            }
            house.awaitAnswers(5);
            assertThat(sink.taken()).hasSize(4);
            Done third = house.heard().stream().filter(n -> n instanceof Done d && d.delivery() == 3)
                    .map(Done.class::cast).findFirst().orElseThrow();
            assertThat(third.outcomes().getFirst().outcome()).isInstanceOf(Outcome.Deferred.class);
            assertThat(third.outcomes().getFirst().outcome().reply()).isEqualTo(Troubles.unreadable());
            assertThat(third.usable()).isTrue();
        }
    }

    @Test
    void aLargeMessageGoesInChunksAndArrivesWhole() throws IOException {
        String large = ("0123456789".repeat(7) + "\r\n").repeat(20_000);
        try (Sink sink = new Sink(Sink.Faults.NONE, "PIPELINING", "CHUNKING");
                Carriers carriers = Post.carriers(Post.patient(), house)) {
            carriers.open(1, sink.route());
            for (int i = 1; i <= 4; i++) {
                carriers.deliver(1, Post.parcel(i, Post.letter(large)));
            }
            house.awaitAnswers(4);
            assertThat(sink.taken()).extracting(Sink.Taken::content).containsOnly(large).hasSize(4);
        }
    }

    @Test
    void theBytesUnderWayAreBounded() {
        // Two letters of 26 bytes are more than 40: the second waits for the first to be answered.
        try (var server = ScriptedServer.of(HELLO + TAKE + TAKE + ScriptedServer.BYE);
                var carriers = Post.carriers(Post.patient().with(new ClientConfig.Ahead(5, 50, 40)), house)) {
            carriers.open(1, server.route());
            carriers.deliver(1, parcel(1));
            carriers.deliver(1, parcel(2));
            house.awaitAnswers(2);
        }
    }

    @Test
    void aStopInTheMiddleOfARunDefersWithoutBlame() {
        try (var server = ScriptedServer.of(HELLO + """
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                CHUNK LAST
                C RSET
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                CHUNK LAST
                STALL
                """)) {
            var carriers = new Carriers(Post.patient(), house,
                    _ -> new HostFinder.Answer.Found(
                            List.of(InetAddress.getLoopbackAddress())),
                    new SplittableRandom(1));
            carriers.open(1, server.route());
            carriers.deliver(1, parcel(1));
            carriers.deliver(1, parcel(2));
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> server.contents().size() == 2);
            carriers.close(Duration.ofMillis(800));
            house.awaitAnswers(2);
            assertThat(house.everything()).filteredOn(Done.class::isInstance).hasSize(2)
                    .allSatisfy(n -> assertThat(((Done) n).outcomes().getFirst().outcome().reply())
                            .isEqualTo(Troubles.stopping()));
            assertThat(house.heard()).noneMatch(Badly.class::isInstance);
        }
    }
}
