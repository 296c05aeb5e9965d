package org.slipstream.cli;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.DataSize;
import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.history.History;
import org.slipstream.spool.history.HistorySettings;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.TestCertificates;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// `docs/trace.md` has transcripts of `mta trace` between two marks. They come from the files of a
/// stopped server, so that they are the same each time.
class TracePageTest {
    private static final Path PAGE = Path.of("../docs/trace.md");
    private static final String BEGIN = "<!-- transcripts: written by TracePageTest -->\n";
    private static final String END = "<!-- end of transcripts -->\n";

    @TempDir
    Path home;
    private long now = Instant.parse("2026-11-21T10:00:00Z").toEpochMilli();
    private QueueId greylisted = new QueueId(1);
    private Console console;

    @BeforeEach
    void twoMessages() throws IOException {
        console = new Console(home);
        Files.writeString(home.resolve("mta.toml"), "[history]\nkeep = \"3650d\"\n");
        HistorySettings settings = new HistorySettings(Duration.ofDays(3650), DataSize.ofMebibytes(1));
        try (History history = History.open(History.folder(home.resolve("spool")), settings, () -> now)) {
            greylisted = accept(history, "bob@far.example", new Origin("submission", "[192.0.2.9]",
                    "client.here.example", "ann", "<lunch@client.here.example>", Optional.empty()));
            now += 640;
            decide(history, greylisted, "bob@far.example", "450 4.2.0 Greylisted, see http://far.example/grey",
                    QueuePhase.Code.RCPT);
            history.waits(greylisted, now + 300_000);
            now += 300_000;
            decide(history, greylisted, "bob@far.example", "250 2.0.0 Ok: queued as 4XYZ", QueuePhase.Code.FINAL_REPLY);
            history.removed(greylisted, "sent");
            now += 1_000;
            QueueId wrong = accept(history, "bbo@far.example", new Origin("submission", "[192.0.2.9]",
                    "client.here.example", "ann", "<dinner@client.here.example>", Optional.empty()));
            now += 320;
            decide(history, wrong, "bbo@far.example", "550 5.1.1 <bbo@far.example>: unknown user",
                    QueuePhase.Code.RCPT);
            now += 5;
            QueueId report = accept(history, "ann@here.example",
                    Origin.ofReport(wrong, "<" + wrong + ".failed@mail.here.example>"));
            history.removed(wrong, "bounced");
            now += 20;
            history.removed(report, "sent");
        }
    }

    private QueueId accept(History history, String recipient, Origin origin) {
        QueueId id = QueueId.after(0, now);
        Optional<Address> sender = origin.about().isPresent() ? Optional.empty() : Address.parse("ann@here.example");
        Envelope envelope = Envelope.of(sender, List.of(Address.of(recipient))).withOrigin(origin);
        history.accepted(new MessageSummary(id, sender, now, 2381, 1, 1, 0, 0, false, false), envelope);
        return id;
    }

    private void decide(History history, QueueId id, String recipient, String reply, QueuePhase.Code phase) {
        String[] words = reply.split(" ", 3);
        Outcome outcome = Outcome.of(Reply.of(Integer.parseInt(words[0]), words[1], words[2]),
                "mx.far.example[192.0.2.25]:25");
        history.decided(id, List.of(new Recipient(1, Address.of(recipient))), List.of(
                new RecipientOutcome(1, outcome, new RecipientOutcome.Reached(Optional.of(phase), 310))));
    }

    /// When it fails after a change: `mvn -pl mta-cli test -Dtest=TracePageTest
    /// -Dslipstream.golden=write`.
    @Test
    void thePageHasTheTranscriptsAsTheyAre() throws IOException {
        StringBuilder transcripts = new StringBuilder("\n");
        for (List<String> command : List.of(List.of("trace", greylisted.toString()),
                List.of("trace", "<dinner@client.here.example>"), List.of("trace", "ann@here.example"),
                List.of("trace", "eve@far.example"))) {
            Console.Ran ran = console.run(command.toArray(String[]::new));
            transcripts.append("```\n$ mta ").append(command.get(0)).append(' ')
                    .append(command.get(1).startsWith("<") ? "'" + command.get(1) + "'" : command.get(1))
                    .append('\n').append(ran.out()).append(ran.err()).append("```\n\n");
        }
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        assertThat(begin).isGreaterThan(BEGIN.length());
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.writeString(PAGE, page.substring(0, begin) + transcripts + page.substring(end));
        } else {
            assertThat(page.substring(begin, end)).isEqualTo(transcripts.toString());
        }
    }

    @Test
    void anUnknownMessageIsANegativeResultWithTheReachOfTheHistory() {
        Console.Ran ran = console.run("trace", "1p4q0c8k2v0");
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).isEqualTo("mta: no message 1p4q0c8k2v0 is known; the history reaches back to"
                + " 2026-11-21T10:00:00Z ([history] keep and size)\n");
        assertThat(ran.out()).isEmpty();
    }

    @Test
    void aTextThatIsNothingIsWrongUsage() {
        assertThat(console.run("trace", "lunch!").exit()).isEqualTo(2);
        assertThat(console.run("trace", "lunch!").err()).contains("neither a queue id nor a Message-ID nor an address");
        assertThat(console.run("trace", "a@b.example", "--limit", "0").exit()).isEqualTo(2);
        assertThat(console.run("trace").err()).contains("give a message or --tls");
        assertThat(console.run("trace", "a@b.example", "--tls", "b.example").exit()).isEqualTo(2);
        assertThat(console.run("trace", "--tls", "b.example", "--json").exit()).isEqualTo(2);
        for (String place : List.of("b.example:0", "b.example:65536", "b.example:x", "a b", "2001:db8::1", "")) {
            assertThat(console.run("trace", "--tls", place).err()).as(place).contains("neither a domain nor HOST:PORT");
        }
    }

    @Test
    void theDialogueWithAHostIsShown() {
        try (SmtpSink host = SmtpSink.start(SinkScript.smtp().startTls(TestCertificates.of("localhost")))) {
            Console.Ran ran = console.run("trace", "--tls", "[127.0.0.1]:" + host.port());
            assertThat(ran.exit()).as(ran.out()).isZero();
            assertThat(ran.out()).contains("S: 220 ", "C: EHLO ", "C: STARTTLS", "   TLSv1.3/",
                    "   certificate  CN=localhost", "C: QUIT", "demand    none: TLS is used when it is offered");
        }
        try (SmtpSink host = SmtpSink.start(SinkScript.smtp())) {
            Console.Ran ran = console.run("trace", "--tls", "[127.0.0.1]:" + host.port());
            assertThat(ran.exit()).isEqualTo(1);
            assertThat(ran.out()).contains("STARTTLS is not offered");
        }
    }

    @Test
    void jsonHasTheSameFacts() {
        Console.Ran ran = console.run("trace", greylisted.toString(), "--json");
        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).contains("\"user\":\"ann\"", "\"event\":\"delivered\"", "\"tookMillis\":310",
                "\"since\":\"2026-11-21T10:00:00Z\"");
    }
}
