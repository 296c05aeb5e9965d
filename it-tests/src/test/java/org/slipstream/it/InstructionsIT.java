package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.arrives;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// An operator returns mail that a host defers, or sends it to another host.
@Tag("ZM-46")
class InstructionsIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static SmtpSink relay;
    private static PackagedServer server;

    @BeforeAll
    static void start() {
        SmtpSink far = BENCH.smtpSink();
        far.change(script -> script.onRecipient("*", SinkAction.reply("450 4.2.1 come back later")));
        relay = BENCH.smtpSink();
        var settings = Settings.quick();
        for (var domain : new String[]{"bounce.example", "expire.example", "reroute.example"}) {
            settings = settings.route(domain, far);
        }
        server = BENCH.server(settings);
    }

    @Test
    void aBouncedMessageIsReturnedWithTheReasonOfTheOperator() {
        String id = deferred("ann", "bounce");
        assertThat(server.command("queue", "bounce", "--domain", "bounce.example", "--dry-run").mustSucceed().out())
                .isEqualToIgnoringNewLines("1 message would be bounced");
        assertThat(server.command("queue", "bounce", "--domain", "bounce.example", "--reason", "no such company")
                .mustSucceed().out()).isEqualToIgnoringNewLines("1 message bounced");
        assertThat(report("ann")).contains("Final-Recipient: rfc822; friend@bounce.example", "Action: failed",
                "Status: 5.0.0", "delivery cancelled by administrator: no such company");
        isGone(id);
    }

    @Test
    void anExpiredMessageIsReturnedWithItsLastReply() {
        String id = deferred("bob", "expire");
        server.command("queue", "hold", id).mustSucceed();
        server.command("queue", "expire", id).mustSucceed();
        assertThat(report("bob")).contains("Action: failed", "Status: 5.4.7", "message expired in queue after",
                "450 4.2.1 come back later");
        isGone(id);
    }

    @Test
    void aReroutedMessageGoesToTheOtherHostAfterARestart() {
        String id = deferred("carl", "reroute");
        assertThat(server.command("queue", "reroute", "--to", "uucp:nowhere", id).err())
                .contains("\"uucp\" is not a transport");
        server.command("queue", "hold", id).mustSucceed();
        server.command("queue", "reroute", "--to", "127.0.0.1:" + relay.port(), id).mustSucceed();
        assertThat(server.stop()).isZero();
        server.startAgain();
        server.command("queue", "release", id).mustSucceed();
        arrives(message("carl", "reroute"), relay);
        isGone(id);
    }

    /// The host never answers the final dot, so the orders wait for the end of the delivery.
    @Test
    void ordersForMailInDeliveryAreInForceAfterAKill() {
        var settings = Settings.quick();
        for (var name : new String[]{"held", "deleted"}) {
            var silent = BENCH.smtpSink();
            silent.change(script -> script.on(SinkPhase.FINAL_DOT, SinkAction.stall()));
            settings = settings.route(name + ".example", silent);
        }
        var killed = BENCH.server(settings);
        for (var name : new String[]{"held", "deleted"}) {
            try (var talk = SmtpTalker.introducedTo(killed.smtp())) {
                assertThat(talk
                        .send(OutgoingMessage.of(name + "@x", name + "@here.example", "friend@" + name + ".example"))
                        .code()).isEqualTo(250);
            }
        }
        eventually().untilAsserted(() -> assertThat(Queue.of(killed).messages()).hasSize(2)
                .allMatch(each -> each.path("phase").path("code").asString().equals("final-reply")));
        killed.command("queue", "hold", "--sender", "held@here.example", "--author", "ann", "--reason", "they check it")
                .mustSucceed();
        killed.command("queue", "delete", "--sender", "deleted@here.example").mustSucceed();
        assertThat(Queue.of(killed).messages()).as("the deliveries go on").hasSize(2)
                .allMatch(each -> each.path("state").asString().equals("active"));
        killed.kill9();
        killed.startAgain();
        eventually().untilAsserted(() -> assertThat(Queue.of(killed).messages()).singleElement()
                .satisfies(each -> {
                    assertThat(each.path("state").asString()).isEqualTo("held");
                    assertThat(each.path("why").asString()).startsWith("ann has held it since ")
                            .endsWith(": they check it");
                }));
    }

    private static OutgoingMessage message(String sender, String word) {
        return OutgoingMessage.of(word + "@client.example", sender + "@here.example", "friend@" + word + ".example");
    }

    /// @return the id of a message that was tried and deferred
    private static String deferred(String sender, String word) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(message(sender, word)).code()).isEqualTo(250);
        }
        eventually().untilAsserted(() -> assertThat(Queue.of(server).messages())
                .filteredOn(each -> each.path("sender").asString().startsWith(sender)).singleElement()
                .satisfies(each -> assertThat(each.path("attempts").asInt()).isPositive()));
        return Queue.of(server).messages().stream()
                .filter(each -> each.path("sender").asString().startsWith(sender)).findFirst().orElseThrow()
                .path("id").asString();
    }

    private static String report(String mailbox) {
        eventually().untilAsserted(() -> assertThat(server.mail().count(mailbox + "@here.example")).isEqualTo(1));
        return new String(server.mail().newMail(mailbox + "@here.example").getFirst(), StandardCharsets.UTF_8);
    }

    private static void isGone(String id) {
        eventually().untilAsserted(() -> assertThat(Queue.of(server).messages())
                .noneMatch(each -> each.path("id").asString().equals(id)));
    }
}
