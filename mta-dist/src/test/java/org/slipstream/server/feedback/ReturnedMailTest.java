package org.slipstream.server.feedback;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.order.SuppressionVerb.Cause;
import org.slipstream.core.queue.Delivery;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.events.feedback.FeedbackSettings;
import org.slipstream.events.feedback.SealedText;
import org.slipstream.events.stream.MailEventKind;
import org.slipstream.events.stream.UnloggedEvent;
import org.slipstream.events.suppression.Suppression;
import org.slipstream.local.maildir.LocalDelivery.LocalResult;
import org.slipstream.server.feedback.ReturnedMail.ReportEffects;
import org.slipstream.settings.SettingsSource;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// Mail leaves with a trace, and what comes back with it has its effects.
class ReturnedMailTest {
    private static final QueueId SENT = new QueueId(1L << 50);
    private static final QueueId REPORT = new QueueId((1L << 50) + 64);
    private static final SealedText SEAL = new SealedText(List.of("a secret"));

    @TempDir
    Path home;

    private final List<UnloggedEvent> events = new ArrayList<>();
    private final List<Suppression> suppressed = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();
    private final List<String> complained = new ArrayList<>();
    private final List<String> mailboxes = new ArrayList<>();
    private boolean diskFull;
    private Config config;
    private ReturnedMail mail;

    @BeforeEach
    void open() {
        config = ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home),
                List.of("local.domains=here.example", "local.mailboxes=feedback,ann",
                        "feedback.address=feedback@here.example",
                        "feedback.unsubscribe-url=https://lists.example/leave",
                        "feedback.unsubscribe-domains=shop.example")))
                .config();
        mail = new ReturnedMail(this::deliver, () -> config, () -> Optional.of(SEAL), new ReportEffects(event -> {
            if (diskFull) {
                throw new IOException("No space left on device");
            }
            events.add(event);
        }, suppressed::add, (recipient, outcome) -> refused.add(recipient + " " + outcome.reply()), complained::add),
                () -> 1_000);
    }

    private LocalResult deliver(QueueId id, Envelope envelope, List<Recipient> recipients, Content content) {
        recipients.forEach(each -> mailboxes.add(each.address().toString()));
        return new LocalResult.Decided(recipients.stream().map(each -> new RecipientOutcome(each.number(),
                new Outcome.Delivered(Reply.of(250, "2.0.0", "delivered to mailbox"), "maildir"))).toList());
    }

    private static Envelope sent(String sender, String... recipients) {
        return Envelope.of(Address.parse(sender), List.of(recipients).stream().map(Address::of).toList())
                .withOrigin(new Origin("submission", "[192.0.2.1]", "x", "shop", "", Optional.empty()));
    }

    /// The fields of a message that leaves.
    private String leaves(Envelope envelope, String header, String... settings) throws IOException {
        FeedbackSettings rules = settings.length == 0
                ? config.feedback()
                : new FeedbackSettings(Optional.empty(), Optional.of(URI.create(settings[0])), List.of("shop.example"));
        return new String(new TraceFields(() -> rules, () -> Optional.of(SEAL)).fields(
                new Delivery(1, SENT, new Route.Discard("x"), envelope.recipients()), envelope,
                Content.of((header + "\r\nText\r\n").getBytes(StandardCharsets.UTF_8))), StandardCharsets.US_ASCII);
    }

    private LocalResult comesBack(String sender, String report, String... recipients) {
        return mail.deliver(REPORT, Envelope.of(Address.parse(sender),
                List.of(recipients).stream().map(Address::of).toList()),
                Envelope.of(Optional.empty(),
                        List.of(recipients).stream().map(Address::of).toList()).recipients(),
                Content.of(report.getBytes(StandardCharsets.UTF_8)));
    }

    private static String arf(String fields) {
        return "From: p@provider.example\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n"
                + "\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nUser-Agent: P/1\r\n\r\n"
                + "--b\r\nContent-Type: message/rfc822\r\n\r\n" + fields + "From: news@shop.example\r\n\r\n--b--\r\n";
    }

    private static String dsn(String fields) {
        return "Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\r\n"
                + "Reporting-MTA: dns; mx.far.example\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n"
                + "Diagnostic-Code: smtp; 550 5.1.1 User unknown\r\n\r\n--b\r\n\r\n" + fields + "\r\n--b--\r\n";
    }

    @Test
    void aComplaintSuppressesAndIsAnEventOfTheMessage() throws IOException {
        String fields = leaves(sent("news@shop.example", "Bob@far.example"), "Subject: x\r\n");
        LocalResult result = comesBack("abuse@provider.example", arf(fields), "feedback@here.example");
        assertThat(result).isEqualTo(new LocalResult.Decided(List.of(new RecipientOutcome(1,
                new Outcome.Delivered(Reply.of(250, "2.0.0", "report taken"), "feedback")))));
        assertThat(suppressed).containsExactly(new Suppression("bob@far.example", "shop.example", Cause.COMPLAINT,
                "abuse P/1", 1_000, Long.MAX_VALUE));
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.kind()).isEqualTo(MailEventKind.COMPLAINT);
            assertThat(event.fact()).isEqualTo(SENT + "-complaint-1");
            assertThat(event.fields()).containsEntry("queue", SENT.toString()).containsEntry("user", "shop")
                    .containsEntry("recipient", "Bob@far.example").containsEntry("report", REPORT.toString())
                    .containsEntry("reason", "abuse");
        });
        assertThat(complained).containsExactly("shop");
        assertThat(mailboxes).isEmpty();
        comesBack("abuse@provider.example", arf(fields), "feedback@here.example");
        assertThat(events).extracting(UnloggedEvent::fact).as("a replay is the same fact")
                .containsOnly(SENT + "-complaint-1");
    }

    @Test
    void aForgedComplaintIsMailForAPerson() throws IOException {
        String fields = leaves(sent("news@shop.example", "bob@far.example"), "Subject: x\r\n");
        comesBack("abuse@provider.example", arf(fields.replace(" 1\r\n ", " 1\r\n A")), "feedback@here.example");
        comesBack("abuse@provider.example", arf(""), "feedback@here.example");
        assertThat(mailboxes).containsExactly("feedback@here.example", "feedback@here.example");
        assertThat(events).isEmpty();
        assertThat(suppressed).isEmpty();
    }

    @Test
    void aLateReportGoesToItsReaderToo() throws IOException {
        String fields = leaves(sent("ann@here.example", "bob@far.example"), "Subject: x\r\n");
        comesBack("", dsn(fields), "ann@here.example");
        assertThat(mailboxes).containsExactly("ann@here.example");
        assertThat(refused).containsExactly("bob@far.example 550 5.1.1 User unknown");
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.kind()).isEqualTo(MailEventKind.RETURNED);
            assertThat(event.fields()).containsEntry("bounceClass", "invalid-recipient")
                    .containsEntry("reporter", "mx.far.example");
        });
        comesBack("eve@far.example", dsn(fields), "ann@here.example");
        assertThat(events).as("mail of a person to a person is not read").hasSize(1);
    }

    @Test
    void whenItCannotBeRecordedTheReportWaits() throws IOException {
        diskFull = true;
        String fields = leaves(sent("news@shop.example", "bob@far.example"), "Subject: x\r\n");
        assertThat(comesBack("abuse@provider.example", arf(fields), "feedback@here.example"))
                .isInstanceOf(LocalResult.Unreadable.class);
        assertThat(mailboxes).isEmpty();
    }

    @Test
    void otherRecipientsOfAReportGetIt() throws IOException {
        String fields = leaves(sent("news@shop.example", "bob@far.example"), "Subject: x\r\n");
        LocalResult result = comesBack("abuse@provider.example", arf(fields), "ann@here.example",
                "Feedback@here.example");
        assertThat(mailboxes).containsExactly("ann@here.example");
        assertThat(result).isInstanceOfSatisfying(LocalResult.Decided.class, decided -> assertThat(decided.outcomes())
                .extracting(each -> each.number() + " " + each.outcome().remote())
                .containsExactly("1 maildir", "2 feedback"));
    }

    @Test
    void aCopyForSeveralNamesNobodyAndSuppressesNobody() throws IOException {
        String fields = leaves(sent("news@shop.example", "bob@far.example", "cid@far.example"), "Subject: x\r\n");
        assertThat(fields).doesNotContain("List-Unsubscribe");
        comesBack("abuse@provider.example", arf(fields), "feedback@here.example");
        assertThat(suppressed).isEmpty();
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.fact()).isEqualTo(SENT + "-complaint-0-" + REPORT);
            assertThat(event.fields().get("recipient")).isEmpty();
        });
    }

    @Test
    void onlyMailOfListedDomainsWithoutALinkOfItsOwnGetsOne() throws IOException {
        String url = "https://lists.example/leave";
        assertThat(config.feedback().unsubscribePath()).contains("/leave");
        assertThat(leaves(sent("news@shop.example", "bob@far.example"), "Subject: x\r\n", url))
                .startsWith("List-Unsubscribe: <https://lists.example/leave/")
                .endsWith(">\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n");
        assertThat(leaves(sent("ann@here.example", "bob@far.example"), "Subject: x\r\n", url)).isEmpty();
        assertThat(leaves(sent("news@shop.example", "bob@far.example"), "list-unsubscribe: <mailto:a@b.example>\r\n",
                url)).isEmpty();
        assertThat(leaves(sent("", "bob@far.example"), "Subject: x\r\n")).as("a report").isEmpty();
        String longest = "x".repeat(64) + "@" + ("y".repeat(62) + ".").repeat(3) + "z".repeat(50) + ".example";
        assertThat(leaves(sent("news@shop.example", longest), "Subject: x\r\n", url).lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(998)).isNotEmpty();
    }
}
