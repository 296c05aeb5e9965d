package org.slipstream.testkit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.sink.script.ScriptReader;
import org.slipstream.sink.server.SinkServer;
import org.slipstream.sink.store.CaughtMail;
import org.slipstream.sink.store.CaughtMessage;
import org.slipstream.sink.store.MailFiles;
import org.slipstream.sink.store.MaildirFiles;
import org.slipstream.sink.store.MboxFile;
import org.slipstream.sink.store.MessageFilter;
import org.slipstream.sink.store.SessionLog;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The server of `./mta sink` on the wire.
class ScriptedServerTest {
    private static final OutgoingMessage MESSAGE = OutgoingMessage.of("one@x.example", "a@x.example", "b@y.example");

    private final SimulatedClock clock = new SimulatedClock();
    private final SessionLog sessions = new SessionLog(10);

    private SinkServer server(String script, CaughtMail store) throws IOException {
        return SinkServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ScriptReader.read("a.toml", script), store, sessions, _ -> {}, clock::millis);
    }

    private static CaughtMail memory() {
        return new CaughtMail(CaughtMail.Bounds.USUAL, MailFiles.NONE);
    }

    private static SmtpTalker introduced(SinkServer server) {
        SmtpTalker talker = SmtpTalker.greetedBy(server.address());
        talker.must(250, "EHLO client.example");
        return talker;
    }

    @Test
    void aLineEndInAnAddressDoesNotReachTheStore() throws IOException {
        try (SinkServer server = server("", memory()); SmtpTalker talker = introduced(server)) {
            talker.must(500, "MAIL FROM:<a\nX-Injected: y>");
            talker.must(250, "MAIL FROM:<a@x.example>");
            talker.must(500, "RCPT TO:<b\rX-Injected: y>");
        }
    }

    @Test
    void theRecipientsOfATransactionHaveABound() throws IOException {
        String recipient = "RCPT TO:<" + "b".repeat(60_000) + "@y.example>";
        try (SinkServer server = server("", memory()); SmtpTalker talker = introduced(server)) {
            talker.must(250, "MAIL FROM:<a@x.example>");
            for (int i = 0; i < (4 << 20) / 60_010; i++) {
                talker.must(250, recipient);
            }
            talker.must(452, recipient);
            talker.must(250, "RCPT TO:<b@y.example>");
        }
    }

    @Test
    void aCommandWithoutEndEndsItsSession() throws IOException {
        try (SinkServer server = server("", memory()); SmtpTalker talker = introduced(server)) {
            talker.must(250, "NOOP " + "x".repeat((64 << 10) - "NOOP \r\n".length()));
            talker.trySend(("NOOP " + "x".repeat(70_000)).getBytes(StandardCharsets.US_ASCII));
            assertThat(talker.replyOrNothing()).as("no line end is needed").isEmpty();
            introduced(server).close();
        }
    }

    @Test
    void anAcceptedMessageIsKeptWithItsEnvelopeByteForByte() throws IOException {
        CaughtMail store = memory();
        byte[] odd = "Subject: dots\r\n\r\n.\r\n..x\r\n\u00e4 \r\n".getBytes(StandardCharsets.UTF_8);
        try (SinkServer server = server("", store); SmtpTalker talker = introduced(server)) {
            talker.must(250, "MAIL FROM:<a@x.example> SIZE=40 BODY=8BITMIME RET=HDRS");
            talker.must(250, "RCPT TO:<b@y.example> NOTIFY=NEVER");
            talker.must(354, "DATA");
            assertThat(talker.data(odd).code()).isEqualTo(250);
            CaughtMessage kept = store.find(MessageFilter.ALL).getFirst();
            assertThat(kept.content()).isEqualTo(odd);
            assertThat(kept.sender()).isEqualTo("a@x.example");
            assertThat(kept.recipients()).containsExactly("b@y.example");
            assertThat(kept.helo()).isEqualTo("client.example");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            MAIL FROM:<a@x.example>                       | 503 5.5.1 Error: send HELO/EHLO first
            EHLO                                          | 501 5.5.4 Syntax: EHLO hostname
            LHLO x                                        | 500 5.5.1 Error: command not implemented
            EHLO x;MAIL FROM: a@x.example                 | 501 5.5.4 Syntax: MAIL FROM:<address>
            EHLO x;MAIL FROM:<a@x.example> SIZE=99999999  | 552 5.3.4 Message size exceeds fixed limit
            EHLO x;MAIL FROM:<a@x.example> FOO=1          | 555 5.5.4 Unsupported option: FOO
            EHLO x;MAIL FROM:<a@x.example> REQUIRETLS     | 555 5.5.4 Unsupported option: REQUIRETLS
            EHLO x;RCPT TO:<b@y.example>                  | 503 5.5.1 Error: need MAIL command
            EHLO x;MAIL FROM:<>;RCPT TO:<>                | 501 5.1.3 Bad recipient address syntax
            EHLO x;MAIL FROM:<>;DATA                      | 554 5.5.1 Error: no valid recipients
            EHLO x;BDAT x                                 | 501 5.5.4 Syntax: BDAT count [LAST]
            EHLO x;STARTTLS                               | 502 5.5.1 Error: command not implemented
            EHLO x;AUTH CRAM-MD5                          | 504 5.5.4 Unrecognized authentication type
            EHLO x;AUTH PLAIN AGEAYg==                    | 235 2.7.0 Authentication successful
            EHLO x;VRFY b                                 | 252 2.1.5 Cannot VRFY user
            WHAT                                          | 500 5.5.2 Error: command not recognized
            """)
    void commandsAreCheckedAsRfc5321Asks(String commands, String reply) throws IOException {
        try (SinkServer server = server("", memory()); SmtpTalker talker = SmtpTalker.greetedBy(server.address())) {
            String last = "";
            for (String command : commands.split(";")) {
                last = talker.ask(command);
            }
            assertThat(last.lines().toList().getLast()).isEqualTo(reply);
        }
    }

    @Test
    void aContentOverTheSizeIsRefusedAndTheSessionGoesOn() throws IOException {
        CaughtMail store = memory();
        try (SinkServer server = server("[server]\nsize-limit = \"1KiB\"", store);
                SmtpTalker talker = introduced(server)) {
            talker.must(250, "MAIL FROM:<a@x.example>");
            talker.must(250, "RCPT TO:<b@y.example>");
            talker.must(354, "DATA");
            assertThat(talker.data("x".repeat(70).concat("\r\n").repeat(20).getBytes(StandardCharsets.US_ASCII))
                    .toString()).contains("552");
            assertThat(talker.send(OutgoingMessage.of("s@x", "a@x.example", "b@y.example")).code()).isEqualTo(250);
        }
        assertThat(store.count()).isEqualTo(1);
    }

    @Test
    void lmtpRepliesOncePerRecipient() throws IOException {
        String script = "[server]\nprotocol = \"lmtp\"\n[[rules]]\non = \"content\"\nrecipient = \"full@*\"\n"
                + "reply = \"452 4.2.2 Over quota\"";
        try (SinkServer server = server(script, memory());
                SmtpTalker talker = SmtpTalker.greetedBy(server.address())) {
            talker.must(250, "LHLO client.example");
            talker.must(250, "MAIL FROM:<a@x.example>");
            talker.must(250, "RCPT TO:<b@y.example>");
            talker.must(250, "RCPT TO:<full@y.example>");
            talker.must(354, "DATA");
            assertThat(talker.data(MESSAGE.content()).code()).isEqualTo(250);
            assertThat(talker.reply()).startsWith("452 4.2.2");
        }
    }

    @Test
    void greylistingFollowsTheClock() throws IOException {
        try (SinkServer server = server(example("greylisting"), memory()); SmtpTalker talker = introduced(server)) {
            talker.must(250, "MAIL FROM:<a@x.example>");
            talker.must(450, "RCPT TO:<b@y.example>");
            clock.advanceMillis(299_999);
            talker.must(450, "RCPT TO:<b@y.example>");
            clock.advanceMillis(1);
            talker.must(250, "RCPT TO:<b@y.example>");
        }
    }

    @Test
    void aConnectionOverTheLimitGets421AndTheNextOneIsServedWhenOneEnds() throws IOException {
        try (SinkServer server = server("[limits]\nclient-connections = 1", memory())) {
            try (SmtpTalker first = introduced(server); SmtpTalker second = SmtpTalker.to(server.address())) {
                assertThat(second.reply()).startsWith("421 4.7.0 Too many connections");
                assertThat(second.isClosedByServer()).isTrue();
                first.must(221, "QUIT");
            }
            Awaitility.await().untilAsserted(() -> assertThat(server.run().figures().open()).isZero());
            introduced(server).close();
        }
    }

    @Test
    void theConnectionEndsInTheMiddleOfTheContent() throws IOException {
        String script = "[[rules]]\non = \"data\"\nclose-after = \"1KiB\"";
        CaughtMail store = memory();
        try (SinkServer server = server(script, store); SmtpTalker talker = introduced(server)) {
            talker.must(250, "MAIL FROM:<a@x.example>");
            talker.must(250, "RCPT TO:<b@y.example>");
            talker.must(354, "DATA");
            talker.trySend("x".repeat(70).concat("\r\n").repeat(100).getBytes(StandardCharsets.US_ASCII));
            assertThat(talker.isClosedByServerInTheEnd()).isTrue();
            assertThat(store.count()).isZero();
        }
    }

    @Test
    void aLiarAboutPipeliningAnnouncesItAndLosesCommands() throws IOException {
        try (SinkServer server = server(example("lies-about-pipelining"), memory());
                SmtpTalker talker = SmtpTalker.greetedBy(server.address())) {
            assertThat(talker.ask("EHLO x")).contains("PIPELINING");
            talker.send("NOOP\r\nVRFY b\r\n");
            assertThat(talker.reply()).startsWith("250 2.0.0");
            assertThat(talker.ask("HELP")).as("VRFY is lost").startsWith("214");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"handshake-failure", "closes", "old-protocols"})
    void aHandshakeThatFailsEndsTheConnection(String tls) throws IOException {
        try (SinkServer server = server("[server]\ntls = \"" + tls + "\"", memory());
                SmtpTalker talker = introduced(server)) {
            talker.must(220, "STARTTLS");
            assertThatThrownBy(talker::handshake).isNotNull();
        }
    }

    @ParameterizedTest
    @CsvSource({"good, mx.example, true", "expired, mx.example, false", "wrong-name, other.invalid, true"})
    void certificatesAreAsTheScriptSays(String tls, String name, boolean valid) throws Exception {
        try (SinkServer server = server("[server]\nname = \"mx.example\"\ntls = \"" + tls + "\"", memory());
                SmtpTalker talker = introduced(server)) {
            var certificate = talker.startTls();
            assertThat(certificate.getSubjectX500Principal().getName()).isEqualTo("CN=" + name);
            assertThat(java.time.Instant.now().isBefore(certificate.getNotAfter().toInstant())).isEqualTo(valid);
            talker.must(250, "EHLO again.example");
        }
    }

    @Test
    void anotherScriptAppliesToOpenConnectionsToo() throws IOException {
        try (SinkServer server = server("[limits]\nconnections = 1", memory());
                SmtpTalker talker = introduced(server)) {
            talker.must(250, "MAIL FROM:<a@x.example>");
            server.follow(ScriptReader.read("b.toml",
                    "[limits]\nconnections = 1\n[[rules]]\non = \"rcpt\"\nsender = \"a@*\"\nreply = \"550 5.7.1 No\""));
            talker.must(550, "RCPT TO:<b@y.example>");
            try (SmtpTalker second = SmtpTalker.to(server.address())) {
                assertThat(second.reply()).as("the open connection still counts").startsWith("421");
            }
        }
    }

    @Test
    void aTranscriptHasBothSidesAndNoContent() throws IOException {
        try (SinkServer server = server("", memory()); SmtpTalker talker = introduced(server)) {
            assertThat(talker.send(MESSAGE).code()).isEqualTo(250);
            talker.must(221, "QUIT");
        }
        Awaitility.await().untilAsserted(() -> assertThat(sessions.newest(1).getFirst().open()).isFalse());
        String all = sessions.newest(1).getFirst().lines().toString();
        assertThat(all).contains("EHLO client.example", "250 2.1.0 Ok", "octets)").doesNotContain("A short text");
    }

    @Test
    void memoryKeepsTheNewestWithinItsBounds() throws IOException {
        CaughtMail store = new CaughtMail(new CaughtMail.Bounds(2, 1 << 20), MailFiles.NONE);
        try (SinkServer server = server("", store); SmtpTalker talker = introduced(server)) {
            for (String id : List.of("1@x", "2@x", "3@x")) {
                talker.send(OutgoingMessage.of(id, "a@x.example", "b@y.example"));
            }
        }
        assertThat(store.find(MessageFilter.ALL)).extracting(CaughtMessage::id).containsExactly(3L, 2L);
    }

    @Test
    void aMaildirHasTheFileWhenTheReplyHasCome(@TempDir Path folder) throws IOException {
        CaughtMail store = new CaughtMail(CaughtMail.Bounds.USUAL, new MaildirFiles(folder));
        try (SinkServer server = server("", store); SmtpTalker talker = introduced(server)) {
            talker.send(MESSAGE);
            try (Stream<Path> files = Files.list(folder.resolve("new"))) {
                assertThat(Files.readString(files.findFirst().orElseThrow()))
                        .startsWith("Return-Path: <a@x.example>\r\nX-Original-To: b@y.example\r\n")
                        .contains("Message-ID: <one@x.example>");
            }
        }
    }

    @Test
    void anMboxQuotesLinesThatBeginWithFrom(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("mail.mbox");
        CaughtMail store = new CaughtMail(CaughtMail.Bounds.USUAL, new MboxFile(file));
        byte[] body = "From me\r\n>From you\r\n>From\r\n".getBytes(StandardCharsets.US_ASCII);
        try (SinkServer server = server("", store); SmtpTalker talker = introduced(server)) {
            talker.send(OutgoingMessage.of("m@x", "a@x.example", List.of("b@y.example"), body));
            talker.send(OutgoingMessage.of("n@x", "a@x.example", "b@y.example"));
        }
        String text = Files.readString(file);
        assertThat(text).startsWith("From a@x.example ")
                .contains("\n\n>From me\n>>From you\n>From\n\nFrom a@x.example ");
    }

    @Test
    void aMessageThatCannotBeWrittenIsNotAccepted() throws IOException {
        CaughtMail store = new CaughtMail(CaughtMail.Bounds.USUAL, _ -> {
            throw new IOException("No space left on device");
        });
        try (SinkServer server = server("", store); SmtpTalker talker = introduced(server)) {
            assertThat(talker.send(MESSAGE).toString()).contains("No space left on device");
        }
        assertThat(store.count()).isZero();
    }

    private static String example(String name) throws IOException {
        return Files.readString(Path.of("../examples/servers/" + name + ".toml"));
    }

    /// The first reply that shows the behaviour of each file, after the commands before it.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            postfix                | 20*WHAT                              | 421 4.7.0 Too many errors
            postfix-rate-limit     | MAIL FROM:<a@x.example>              | 250 2.1.0 Ok
            exim                   | MAIL FROM:<a@x.example> SIZE=52428801| 552 5.3.4 Message size exceeds fixed limit
            exim-ratelimit         | MAIL FROM:<a@x.example>              | 250 2.1.0 Ok
            sendmail               | MAIL FROM:<>;RCPT TO:<nobody@x>      | 550 5.1.1 <nobody>... User unknown
            gmail                  | MAIL FROM:<>;RCPT TO:<busy@x>        | 450 4.2.1 If the user is able to receive mail at that time, your message will be delivered. - gsmtp
            exchange-online        | MAIL FROM:<>;RCPT TO:<busy@x>        | 550 5.2.122 The recipient has exceeded their limit for the number of messages they can receive per hour.
            outlook                | MAIL FROM:<a@x.example>              | 250 2.1.0 Ok
            yahoo                  | MAIL FROM:<list@news.example>        | 421 4.7.0 [TSS04] Messages from the client temporarily deferred due to unexpected volume or user complaints
            gmx                    | MAIL FROM:<a@dynamic.example>        | 554 Transaction failed. Reject due to policy restrictions.
            icloud                 | MAIL FROM:<>;RCPT TO:<full@x>        | 552 5.2.2 <full>: user is over quota
            greylisting            | MAIL FROM:<>;RCPT TO:<b@x>           | 450 4.2.0 Greylisted, see http://postgrey.schweikert.ch/help/
            closes-in-data         | MAIL FROM:<>;RCPT TO:<b@x>;DATA      | 354 End data with <CR><LF>.<CR><LF>
            lies-about-pipelining  | MAIL FROM:<>                         | 250 2.1.0 Ok
            disk-full              | MAIL FROM:<>                         | 452 4.3.1 Insufficient system storage
            every-third            | MAIL FROM:<>;3*RCPT TO:<b@x>         | 450 4.2.1 Mailbox busy, try again later
            tls-expired            | STARTTLS                             | 220 2.0.0 Ready to start TLS
            tls-refused            | STARTTLS                             | 454 4.7.0 TLS not available due to local problem
            """)
    void eachExampleBehavesAsItSays(String name, String commands, String reply) throws IOException {
        // The delays of error limits are shorter here; everything else is the file.
        String script = example(name).replace("delay = \"1s\"", "delay = \"1ms\"");
        try (SinkServer server = server(script, memory()); SmtpTalker talker = introduced(server)) {
            String last = "";
            for (String command : commands.split(";")) {
                int times = command.matches("[0-9]+\\*.*") ? Integer.parseInt(command.split("\\*")[0]) : 1;
                for (int i = 0; i < times; i++) {
                    last = talker.ask(command.replaceFirst("^[0-9]+\\*", ""));
                }
            }
            assertThat(last.lines().toList().getLast()).isEqualTo(reply);
        }
    }

    /// Three files say something before a client can ask.
    @Test
    void theOtherExamplesSpeakFirst() throws IOException {
        try (SinkServer server = server(example("t-online"), memory());
                SmtpTalker talker = SmtpTalker.to(server.address())) {
            assertThat(talker.reply()).startsWith("554 IP=");
        }
        try (SinkServer server = server(example("postfix-postscreen").replace("6s", "1ms"), memory());
                SmtpTalker talker = SmtpTalker.to(server.address())) {
            assertThat(talker.reply().lines()).containsExactly("220-postfix.example ESMTP Postfix",
                    "220 postfix.example ESMTP Postfix");
        }
        try (SinkServer server = server(example("tarpit").replace("1s", "1ms"), memory());
                SmtpTalker talker = SmtpTalker.to(server.address())) {
            assertThat(talker.reply()).startsWith("220 sink.example");
        }
        try (Stream<Path> files = Files.list(Path.of("../examples/servers"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".toml"))).as("all are run here").hasSize(21);
        }
    }
}
