package org.slipstream.server.report;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.core.queue.ReportKind;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/// `docs/reports.md` has an example of each kind between two marks, composed here.
class ReportsPageTest {
    private static final Path PAGE = Path.of("../docs/reports.md");
    private static final String BEGIN = "<!-- examples: written by ReportsPageTest -->\n";
    private static final String END = "<!-- end of examples -->\n";
    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

    @TempDir
    private Path home;

    /// When it fails after a change: `mvn -pl mta-dist test -Dtest=ReportsPageTest
    /// -Dslipstream.golden=write`.
    @Test
    void thePageHasTheReportsAsTheyAre() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        assertThat(begin).isGreaterThan(BEGIN.length());
        StringBuilder examples = new StringBuilder("\n");
        for (ReportKind kind : ReportKind.values()) {
            examples.append("### ").append(kind.word()).append("\n\n```\n").append(example(kind)).append("```\n\n");
        }
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.writeString(PAGE, page.substring(0, begin) + examples + page.substring(end));
        } else {
            assertThat(page.substring(begin, end)).isEqualTo(examples.toString());
        }
    }

    @Test
    void thePageSaysWhenEachKindIsMade() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(ReportKind.words()).allSatisfy(word -> assertThat(page).contains("\n| " + word + " | "));
    }

    @Test
    void thePageNamesEachVariable() throws IOException {
        String page = Files.readString(PAGE);
        for (ReportTemplate.Variable variable : ReportTemplate.Variable.values()) {
            assertThat(page).contains("`${" + variable.word() + "}`");
        }
    }

    private String example(ReportKind kind) throws IOException {
        QueueId id = QueueId.after(0, NOW.toEpochMilli());
        Recipient recipient = new Recipient(1, Address.of("friend@far.example"),
                Optional.of("rfc822;pal@here.example"), Set.of(DsnNotify.SUCCESS));
        Optional<Address> sender = kind == ReportKind.DOUBLE_BOUNCE
                ? Optional.empty()
                : Address.parse("alice@here.example");
        Envelope envelope = new Envelope(sender, BodyType.SEVEN_BIT, false, Optional.of("QQ314159"), DsnReturn.HEADERS,
                List.of(recipient));
        long created = NOW.toEpochMilli() - 5 * 3_600_000;
        MessageDetails details = new MessageDetails(
                new MessageSummary(id, sender, created, 1_000, 1, 1, 0, 1, false, false), envelope, 0, List.of());
        Original original = new Original("""
                Received: from client.here.example ([192.0.2.9])\r
                \tby mail.here.example (Slipstream) with ESMTP;\r
                \tSat, 21 Nov 2026 05:00:00 +0000\r
                From: Alice <alice@here.example>\r
                Subject: Lunch\r
                Message-ID: <lunch@here.example>\r
                """.getBytes(StandardCharsets.US_ASCII), false);
        DeliveryReport report = new DeliveryReport("mail.here.example", Address.of("postmaster@here.example"), kind,
                sender.orElse(Address.of("postmaster@here.example")), details, List.of(state(kind, recipient)),
                Optional.of(original), NOW.atOffset(ZoneOffset.UTC), NOW.plusSeconds(5 * 86_400 - 5 * 3_600));
        byte[] content = ReportComposer.compose(report, ReportTemplates.in(home).of(kind), "=_example").content();
        Parsed.of(content);
        return new String(content, StandardCharsets.UTF_8).replace("\r\n", "\n");
    }

    private static RecipientState state(ReportKind kind, Recipient recipient) {
        String peer = "mx.far.example[192.0.2.25]:25";
        Outcome last = switch (kind) {
            case FAILED, DOUBLE_BOUNCE -> new Outcome.Failed(Reply.of(550, "5.1.1", "no such user"), peer);
            case DELAYED -> new Outcome.Deferred(Reply.of(450, "4.2.2", "mailbox is full, try later"), peer);
            case CLEARED, DELIVERED -> new Outcome.Delivered(Reply.of(250, "2.0.0", "queued as 4711"), peer);
        };
        return new RecipientState(recipient, RecipientStatus.OPEN, Optional.of(last), NOW.toEpochMilli() - 1_000);
    }
}
