package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.ProgramRun;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.charset.StandardCharsets;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Mail that cannot be delivered comes back as a report that other programs can read; Python's
/// `email` package parses it.
@RequiresPrograms("python3")
class BounceIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    /// Prints the report as the package parsed it, as JSON.
    private static final String READ_REPORT = """
            import email, email.policy, json, sys
            report = email.message_from_binary_file(sys.stdin.buffer, policy=email.policy.default)
            parts = list(report.iter_parts())
            status = [dict(block.items()) for block in parts[1].get_payload()]
            original = parts[2].get_payload()
            original = original[0].items() if isinstance(original, list) else email.message_from_string(original).items()
            json.dump({
                "type": report.get_content_type(),
                "reportType": report.get_param("report-type"),
                "returnPath": report["Return-Path"],
                "from": report["From"], "to": report["To"],
                "autoSubmitted": report["Auto-Submitted"],
                "parts": [part.get_content_type() for part in parts],
                "text": parts[0].get_content(),
                "message": status[0], "recipients": status[1:],
                "original": {name.lower(): str(value) for name, value in original},
                "defects": [str(defect) for part in report.walk() for defect in part.defects],
            }, sys.stdout)
            """;
    private static PackagedServer server;
    private static SmtpSink far;

    @BeforeAll
    static void start() {
        far = BENCH.smtpSink();
        far.change(script -> script.onRecipient("nobody@*", SinkAction.reply("550 5.1.1 no such user")));
        far.change(
                script -> script.onRecipient("full@*", SinkAction.reply("550-5.2.2 the mailbox\r\n550 5.2.2 is full")));
        server = BENCH.server(Settings.quick().route("far.example", far));
    }

    @Test
    void aRefusedRecipientComesBackAsAReport() {
        send(OutgoingMessage.of("refused@client.example", "alice@here.example", "nobody@far.example"));
        var report = reportIn("alice@here.example");

        assertThat(report.path("type").asString()).isEqualTo("multipart/report");
        assertThat(report.path("reportType").asString()).isEqualTo("delivery-status");
        assertThat(strings(report.path("parts"))).hasSize(3).startsWith("text/plain", "message/delivery-status");
        assertThat(strings(report.path("defects"))).isEmpty();
        assertThat(report.path("returnPath").asString()).isEqualTo("<>");
        assertThat(report.path("to").asString()).contains("alice@here.example");
        assertThat(report.path("autoSubmitted").asString()).startsWith("auto-");
        assertThat(report.path("message").path("Reporting-MTA").asString()).isEqualTo("dns; mail.here.example");
        var recipients = report.path("recipients");
        assertThat(recipients.size()).isEqualTo(1);
        assertThat(recipients.path(0).path("Final-Recipient").asString()).isEqualToIgnoringWhitespace(
                "rfc822;nobody@far.example");
        assertThat(recipients.path(0).path("Action").asString()).isEqualTo("failed");
        assertThat(recipients.path(0).path("Status").asString()).isEqualTo("5.1.1");
        assertThat(recipients.path(0).path("Diagnostic-Code").asString()).startsWith("smtp;")
                .contains("550 5.1.1 no such user");
        assertThat(report.path("original").path("message-id").asString()).isEqualTo("<refused@client.example>");
        assertThat(report.path("text").asString()).contains("nobody@far.example", "no such user");
    }

    /// With the domains that a first start writes.
    @Test
    void aStrangerIsToldAPostmasterWhomHeCanReach() {
        var home = BENCH.server(
                Settings.quick().set("local.domains", "localhost,mail.here.example").route("far.example", far));
        try (var talk = SmtpTalker.introducedTo(home.smtp())) {
            assertThat(talk
                    .send(OutgoingMessage.of("stranger@client.example", "stranger@far.example", "nobody@far.example"))
                    .code()).isEqualTo(250);
        }
        eventually().untilAsserted(() -> assertThat(far.messages())
                .filteredOn(mail -> mail.recipients().contains("stranger@far.example")).singleElement()
                .satisfies(mail -> assertThat(new String(mail.content(), StandardCharsets.UTF_8))
                        .contains("write to <postmaster@mail.here.example>").doesNotContain("postmaster@localhost")));
    }

    @Test
    void oneReportTellsOfAllThatFailedAndOfNoOther() {
        send(OutgoingMessage.of("three@client.example", "bob@here.example",
                List.of("nobody@far.example", "friend@far.example", "full@far.example"), Bytes.ascii("Three.\r\n")));
        var report = reportIn("bob@here.example");
        var recipients = report.path("recipients");
        assertThat(recipients.valueStream().map(block -> block.path("Final-Recipient").asString().replace(" ", "")))
                .containsExactlyInAnyOrder("rfc822;nobody@far.example", "rfc822;full@far.example");
        assertThat(recipients.valueStream().map(block -> block.path("Status").asString()))
                .containsExactlyInAnyOrder("5.1.1", "5.2.2");
        eventually().untilAsserted(() -> assertThat(far.messages())
                .filteredOn(mail -> mail.id().equals("three@client.example")).singleElement()
                .satisfies(mail -> assertThat(mail.recipients()).containsExactly("friend@far.example")));
    }

    @Test
    void mailThatIsTooOldComesBack() {
        var slow = BENCH.smtpSink();
        slow.change(script -> script.onRecipient("later@*", SinkAction.reply("450 4.2.1 come back later")));
        var hasty = BENCH.server(Settings.quick().route("far.example", slow).set("queue.lifetime", "3s"));
        try (var talk = SmtpTalker.introducedTo(hasty.smtp())) {
            assertThat(talk.send(OutgoingMessage.of("old@client.example", "carol@here.example", "later@far.example"))
                    .code())
                    .isEqualTo(250);
        }
        var report = report(hasty, "carol@here.example");
        assertThat(report.path("recipients").path(0).path("Action").asString()).isEqualTo("failed");
        assertThat(report.path("recipients").path(0).path("Status").asString()).matches("[45]\\.\\d+\\.\\d+");
        assertThat(report.path("text").asString()).contains("later@far.example");
    }

    @Test
    void theNullSenderGetsNoReport() {
        send(new OutgoingMessage("", List.of("nobody@far.example"),
                OutgoingMessage.of("null@client.example", "x@client.example", "nobody@far.example").content()));
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(far.messages()).noneMatch(mail -> mail.id().equals("null@client.example"));
        assertThat(server.log()).as("it is not lost in silence").contains("nobody@far.example");
    }

    /// A report goes to the sender at any host. A report that cannot be delivered is dropped.
    @Test
    void aReportThatIsRefusedEndsTheMatter() {
        send(OutgoingMessage.of("doubly@client.example", "full@far.example", "nobody@far.example"));
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(far.messages()).noneMatch(mail -> mail.recipients().contains("full@far.example"));
    }

    private static void send(OutgoingMessage outgoing) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(outgoing).code()).isEqualTo(250);
        }
    }

    private static JsonNode reportIn(String mailbox) {
        return report(server, mailbox);
    }

    private static JsonNode report(PackagedServer from, String mailbox) {
        eventually().untilAsserted(() -> assertThat(from.mail().count(mailbox)).isEqualTo(1));
        var ran = ProgramRun.of(from.mail().newMail(mailbox).getFirst(), List.of("python3", "-c", READ_REPORT));
        return JsonMapper.builder().build().readTree(ran.mustSucceed().out());
    }

    private static List<String> strings(JsonNode array) {
        return array.valueStream().map(JsonNode::asString).toList();
    }
}
