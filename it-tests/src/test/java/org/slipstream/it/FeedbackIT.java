package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.nio.charset.StandardCharsets;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// A provider complains about a message of this server, and a host returns one late.
class FeedbackIT {
    @RegisterExtension
    final Workbench bench = new Workbench();

    private static SmtpReply send(PackagedServer server, OutgoingMessage message) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            return talk.send(message);
        }
    }

    private static OutgoingMessage report(String id, String sender, String recipient, String type, String part,
            String returned) {
        String text = "From: reports@provider.example\r\nSubject: " + id + "\r\nMessage-ID: <" + id
                + ">\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=" + type
                + "; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nA report.\r\n--b\r\nContent-Type: message/"
                + type + "\r\n\r\n" + part + "\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\n" + returned
                + "\r\n--b--\r\n";
        return new OutgoingMessage(sender, List.of(recipient), text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void reportsAreTiedToTheirMessageAlsoAfterAKill() {
        SmtpSink far = bench.smtpSink();
        PackagedServer server = bench.server(Settings.quick().route("far.example", far).set("events.keep", "1d")
                .set("feedback.address", "feedback@here.example").set("bounces.suppress-after", "1"));
        for (String who : List.of("bob", "cid")) {
            assertThat(send(server, OutgoingMessage.of(who + "@x", "shop@here.example", who + "@far.example")).code())
                    .isEqualTo(250);
        }
        eventually().untilAsserted(() -> assertThat(far.messages()).hasSize(2));
        server.kill9();
        server.startAgain();
        String bob = header(far, "bob@x");
        assertThat(bob).startsWith("Slipstream-Trace: 1\r\n ");
        String feedback = "Feedback-Type: abuse\r\nUser-Agent: Provider/1\r\nVersion: 1\r\n";
        // The seal is a new one in each run: a letter that is replaced may be the same, one more letter is not.
        String forged = bob.replace(" 1\r\n ", " 1\r\n A");
        assertThat(send(server, report("lie@x", "eve@far.example", "feedback@here.example", "feedback-report",
                feedback, forged)).code()).isEqualTo(250);
        eventually().untilAsserted(() -> assertThat(server.mail().count("feedback@here.example")).isEqualTo(1));
        assertThat(events(server)).doesNotContain("complaint");
        assertThat(send(server, OutgoingMessage.of("again@x", "shop@here.example", "bob@far.example")).code())
                .isEqualTo(250);

        assertThat(send(server, report("truth@x", "abuse@provider.example", "feedback@here.example",
                "feedback-report", feedback, bob)).code()).isEqualTo(250);
        eventually().untilAsserted(() -> assertThat(events(server)).contains("\"kind\":\"complaint\"",
                "\"recipient\":\"bob@far.example\"", "\"reason\":\"abuse\""));
        assertThat(send(server, OutgoingMessage.of("no@x", "shop@here.example", "bob@far.example")).toString())
                .contains("suppressed", "complaint");
        assertThat(send(server, OutgoingMessage.of("other@x", "ann@other.example", "bob@far.example")).code())
                .as("mail of another domain").isEqualTo(250);

        assertThat(send(server, report("late@x", "", "shop@here.example", "delivery-status",
                "Reporting-MTA: dns; store.far.example\r\n\r\nFinal-Recipient: rfc822; x@y.example\r\nAction: failed\r\n"
                        + "Status: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 User unknown\r\n",
                header(far, "cid@x"))).code()).isEqualTo(250);
        eventually().untilAsserted(() -> assertThat(events(server)).contains("\"kind\":\"returned\"",
                "\"bounceClass\":\"invalid-recipient\"", "store.far.example"));
        assertThat(send(server, OutgoingMessage.of("no2@x", "shop@here.example", "cid@far.example")).toString())
                .contains("suppressed", "hard-bounce");
        server.kill9();
        server.startAgain();
        assertThat(events(server)).contains("\"kind\":\"complaint\"", "\"kind\":\"returned\"");
        assertThat(server.mail().count("feedback@here.example")).isEqualTo(1);
    }

    private static String header(SmtpSink sink, String id) {
        String text = sink.messages().stream().filter(each -> each.id().equals(id)).findFirst().orElseThrow().text();
        return text.substring(0, text.indexOf("\r\n\r\n") + 2);
    }

    private static String events(PackagedServer server) {
        return server.command("events", "list", "--json-lines").mustSucceed().out();
    }
}
