package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The addresses that open-relay tests try, with a server that accepts every name of its domain and
/// relays for no client. There is a route for everything, to a sink: any message that got through
/// would arrive there.
class OpenRelayIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static PackagedServer server;
    private static SmtpSink anywhere;

    @BeforeAll
    static void start() {
        anywhere = BENCH.smtpSink();
        server = BENCH.server(Settings.quick().set("relay.networks", "").route("*", anywhere));
    }

    @ParameterizedTest
    @ValueSource(strings = {"<x@far.example>", "<x%far.example@here.example>", "<x%far.example@mail.here.example>",
            "<x%far.example@[127.0.0.1]>", "<x%far.example@elsewhere.example>", "<\"x@far.example\"@here.example>",
            "<\"x%far.example\"@here.example>", "<\"x@far.example\"@[127.0.0.1]>", "<@here.example:x@far.example>",
            "<@far.example:x@here.example>", "<@here.example,@mail.here.example:x@far.example>",
            "<far.example!x@here.example>", "<far.example!x@[127.0.0.1]>", "<\"far.example!x\"@here.example>",
            "<x@[203.0.113.9]>", "<x@[IPv6:2001:db8::9]>", "<x%far.example%here.example@here.example>",
            "<x@here.example.far.example>", "<x@xhere.example>", "<x@sub.here.example>",
            "<postmaster@far.example>", "<abuse@far.example>"})
    void aStrangerIsRefusedWithAnySender(String recipient) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            for (var sender : List.of("<>", "<y@far.example>", "<y@here.example>", "<postmaster@here.example>",
                    "<y@mail.here.example>", "<y@[127.0.0.1]>")) {
                talk.must(250, "MAIL FROM:" + sender);
                assertThat(talk.say("RCPT TO:" + recipient).toString()).as("from %s", sender).startsWith("554 5.7.1 ");
                assertThat(talk.say("DATA").code()).isBetween(500, 599);
                talk.must(250, "RSET");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"<x@far.example@here.example>", "<x@here.example@far.example>", "x@far.example",
            "<\"x\"@far.example@here.example>", "<@[127.0.0.1]:x@far.example>", "<x@far.example>@here.example",
            "<x @far.example>", "<@here.example>", "<x@[far.example]>", "<:x@far.example>", "<far.example!x>",
            "<x%far.example>"})
    void textThatIsNoAddressIsRefused(String recipient) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            talk.must(250, "MAIL FROM:<>");
            assertThat(talk.say("RCPT TO:" + recipient).code()).isEqualTo(501);
        }
    }

    @Test
    void honestMailArrivesAndNothingElseHasLeft() {
        var outgoing = OutgoingMessage.of("honest@x", "y@far.example", "alice+tag@here.example");
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            talk.must(250, "MAIL FROM:<>");
            for (var always : List.of("<postmaster>", "<PostMaster@here.example>", "<abuse@here.example>",
                    "<alice@[127.0.0.1]>")) {
                talk.must(250, "RCPT TO:" + always);
            }
            talk.must(250, "RSET");
            assertThat(talk.send(outgoing).code()).isEqualTo(250);
        }
        eventually().until(() -> server.mail().count("alice+tag@here.example")
                + server.mail().count("alice@here.example") == 1);
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(anywhere.connections()).isZero();
    }
}
