package org.slipstream.server;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// A gateway in front of another server: it takes mail for the domain from everybody, and asks the other
/// server for each recipient.
@Tag("FI-07")
class RelayDomainTest {
    @TempDir
    Path home;

    private final SmtpSink inner = SmtpSink.start(SinkScript.smtp()
            .onRecipient("gone@*", SinkAction.reply("550 5.1.1 no such user"))
            .onRecipient("busy@*", SinkAction.reply("452 4.2.2 mailbox full"))
            .onRecipient("cut@*", SinkAction.close()));
    private SmallServer server;

    private SmallServer start(String... more) throws Exception {
        List<String> settings = new java.util.ArrayList<>(List.of("relay.networks=192.0.2.0/24",
                "relay.domains=inner.example", "routes.inner.example=smtp:127.0.0.1:" + inner.port()));
        settings.addAll(List.of(more));
        server = SmallServer.start(home, settings.toArray(String[]::new));
        return server;
    }

    @AfterEach
    void stop() {
        server.close();
        inner.close();
    }

    private SmtpTalker talk() {
        SmtpTalker talker = SmtpTalker.introducedTo(server.server().smtp().orElseThrow());
        talker.say("MAIL FROM:<eve@far.example>");
        return talker;
    }

    private static String rcpt(SmtpTalker talker, String recipient) {
        return talker.say("RCPT TO:<" + recipient + ">").toString();
    }

    @Test
    void aRecipientIsAskedForOnceAndAnUnknownOneIsRefused() throws Exception {
        start("relay.verify=true");
        try (SmtpTalker talker = talk()) {
            for (int i = 0; i < 3; i++) {
                assertThat(rcpt(talker, "ann@inner.example")).startsWith("250");
                assertThat(rcpt(talker, "gone@inner.example")).startsWith("550").contains("5.1.1 <gone@inner.example>",
                        "said: 550 5.1.1 no such user");
                assertThat(rcpt(talker, "busy@inner.example")).startsWith("450").contains("4.1.1 ");
            }
            assertThat(rcpt(talker, "cut@inner.example")).startsWith("450");
            assertThat(rcpt(talker, "Postmaster@inner.example")).as("without a probe").startsWith("250");
        }
        assertThat(inner.messages()).isEmpty();
        assertThat(server.ask("GET", "metrics")).contains("mta_probed_recipients_total 4.0");
    }

    @Test
    void mailOfAnyClientIsPassedOn() throws Exception {
        start("relay.verify=true");
        try (SmtpTalker talker = SmtpTalker.introducedTo(server.server().smtp().orElseThrow())) {
            assertThat(talker.send(new OutgoingMessage("eve@far.example", List.of("ann@inner.example"),
                    "Subject: x\r\n\r\nx\r\n".getBytes(StandardCharsets.US_ASCII))).code()).isEqualTo(250);
        }
        await().atMost(Duration.ofSeconds(90)).until(() -> inner.count() == 1);
    }

    @Test
    void noDisguiseReachesAnotherDomainThroughARelayDomain() throws Exception {
        start();
        try (SmtpTalker talker = talk()) {
            for (String address : List.of("x@far.example", "x%far.example@inner.example",
                    "far.example!x@inner.example", "\"x@far.example\"@inner.example", "x@sub.inner.example",
                    "x@inner.example.far.example", "\"x%far.example\"@inner.example",
                    "@inner.example:x@far.example")) {
                assertThat(rcpt(talker, address)).as(address).startsWith("554").contains("5.7.1");
            }
            assertThat(rcpt(talker, "x@inner.example")).startsWith("250");
        }
    }

    @Test
    void withoutTheSettingNoRecipientIsAskedFor() throws Exception {
        start();
        try (SmtpTalker talker = talk()) {
            assertThat(rcpt(talker, "gone@inner.example")).startsWith("250");
        }
        assertThat(inner.connections()).isZero();
    }

    @Test
    void aSuspendedHostGetsNoProbe() throws Exception {
        start("relay.verify=true");
        try (SmtpTalker talker = talk()) {
            assertThat(rcpt(talker, "ann@inner.example")).startsWith("250");
            inner.close();
            assertThat(rcpt(talker, "bob@inner.example")).as("the host is gone").startsWith("450");
            int connections = inner.connections();
            assertThat(rcpt(talker, "carl@inner.example")).as("and is left alone").startsWith("450");
            assertThat(inner.connections()).isEqualTo(connections);
            assertThat(rcpt(talker, "ann@inner.example")).as("what is known stays").startsWith("250");
        }
    }

    @Test
    void aHostThatRefusesEveryProbeSaysNothingAboutTheRecipient() throws Exception {
        inner.change(script -> script.onSender("*", SinkAction.reply("550 5.7.1 no null senders here")));
        start("relay.verify=true");
        try (SmtpTalker talker = talk()) {
            assertThat(rcpt(talker, "ann@inner.example")).startsWith("450");
        }
    }
}
