package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.MailAssert;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.net.InetSocketAddress;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.arrives;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Ways of mail: mailboxes, aliases, smart hosts, LMTP, discard.
class FirstFlowIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static PackagedServer server;
    private static SmtpSink far;
    private static SmtpSink below;
    private static SmtpSink lmtp;
    private static SmtpSink rest;

    @BeforeAll
    static void start() {
        far = BENCH.smtpSink();
        below = BENCH.smtpSink();
        lmtp = BENCH.lmtpSink();
        rest = BENCH.smtpSink();
        server = BENCH.server(Settings.quick().set("local.domains", "here.example,second.example")
                .set("local.mailboxes", "alice,bob,carol,dave,erin,frank,gina,only@second.example")
                .set("local.postmaster", "carol")
                .set("aliases.\"sales\"", "alice,bob,seller@far.example")
                .set("aliases.\"info@second.example\"", "dave@here.example").route("far.example", far)
                .route(".far.example", below).route("lmtp.example", lmtp).route("nowhere.example", "discard")
                .route("*", rest));
    }

    @Test
    void mailForAMailboxLiesInItsMaildir() {
        var outgoing = OutgoingMessage.of("to-erin@x", "someone@client.example", "erin@here.example");
        assertThat(send(outgoing).code()).isEqualTo(250);
        arrives(outgoing, server.mail(), "erin@here.example");
        assertThat(server.mail().unfinished("erin@here.example")).isZero();
    }

    @Test
    void aTagAfterThePlusGoesToTheSameMailbox() {
        var outgoing = OutgoingMessage.of("to-frank@x", "someone@client.example", "frank+lists@here.example");
        assertThat(send(outgoing).code()).isEqualTo(250);
        arrives(outgoing, server.mail(), "frank@here.example");
    }

    @Test
    void anAliasReachesAllItsTargetsHereAndFar() {
        var outgoing = OutgoingMessage.of("to-sales@x", "someone@client.example", "sales@here.example");
        assertThat(send(outgoing).code()).isEqualTo(250);
        arrives(outgoing, server.mail(), "alice@here.example");
        arrives(outgoing, server.mail(), "bob@here.example");
        eventually().untilAsserted(() -> assertThat(recipientsOf(far, "to-sales@x"))
                .containsExactly("seller@far.example"));
    }

    @Test
    void anAliasOfOneDomainIsNoAliasOfTheOther() {
        var outgoing = OutgoingMessage.of("to-info@x", "someone@client.example", "info@second.example");
        assertThat(send(outgoing).code()).isEqualTo(250);
        arrives(outgoing, server.mail(), "dave@here.example");
        assertThat(send(OutgoingMessage.of("no@x", "someone@client.example", "info@here.example")).code())
                .isEqualTo(550);
    }

    @Test
    void postmasterIsAlwaysThereWithAndWithoutADomain() {
        for (var address : List.of("postmaster@here.example", "Postmaster@second.example", "postmaster")) {
            assertThat(send(OutgoingMessage.of("to-" + address, "someone@client.example", address)).code()).as(address)
                    .isEqualTo(250);
        }
        eventually().untilAsserted(() -> assertThat(
                server.mail().count("carol@here.example") + server.mail().count("carol@second.example")).isEqualTo(3));
    }

    @Test
    void anUnknownMailboxOfALocalDomainIsRefusedAtRcpt() {
        var answer = send(OutgoingMessage.of("no@x", "someone@client.example", "stranger@here.example"));
        assertThat(answer.code()).isEqualTo(550);
        assertThat(answer.text()).startsWith("5.1.1");
    }

    @Test
    void theExactRouteWinsOverTheSuffixAndTheSuffixOverTheStar() {
        var outgoing = OutgoingMessage.of("routes@x", "someone@client.example",
                List.of("a@far.example", "b@deep.below.far.example", "c@elsewhere.example"), Bytes.ascii("Three.\r\n"));
        assertThat(send(outgoing).code()).isEqualTo(250);
        eventually().untilAsserted(() -> {
            assertThat(recipientsOf(far, "routes@x")).containsExactly("a@far.example");
            assertThat(recipientsOf(below, "routes@x")).containsExactly("b@deep.below.far.example");
            assertThat(recipientsOf(rest, "routes@x")).containsExactly("c@elsewhere.example");
        });
        MailAssert.unchangedOnTheWire(outgoing.content(), delivery(rest, "routes@x").content());
    }

    @Test
    void lmtpTakesEachRecipientsAnswer() {
        lmtp.change(script -> script.onRecipient("full@*", SinkAction.reply("550 5.2.2 mailbox full")));
        var outgoing = OutgoingMessage.of("lmtp@x", "gina@here.example",
                List.of("full@lmtp.example", "first@lmtp.example", "second@lmtp.example"), Bytes.ascii("LMTP.\r\n"));
        assertThat(send(outgoing).code()).isEqualTo(250);
        eventually().untilAsserted(() -> assertThat(recipientsOf(lmtp, "lmtp@x"))
                .containsExactlyInAnyOrder("first@lmtp.example", "second@lmtp.example"));
        eventually().untilAsserted(() -> assertThat(server.mail().newMail("gina@here.example"))
                .anySatisfy(mail -> assertThat(new String(mail)).contains("full@lmtp.example", "5.2.2")));
    }

    @Test
    void mailForNowhereIsGone() {
        assertThat(send(OutgoingMessage.of("nowhere@x", "someone@client.example", "x@nowhere.example")).code())
                .isEqualTo(250);
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(rest.messages()).noneMatch(delivery -> delivery.id().equals("nowhere@x"));
    }

    @Test
    void theSubmissionPortTakesMailToo() {
        var outgoing = OutgoingMessage.of("submitted@x", "someone@client.example", "submitted@elsewhere.example");
        assertThat(send(server.submission(), outgoing).code()).isEqualTo(250);
        eventually().untilAsserted(
                () -> assertThat(recipientsOf(rest, "submitted@x")).containsExactly("submitted@elsewhere.example"));
    }

    private static SmtpReply send(OutgoingMessage outgoing) {
        return send(server.smtp(), outgoing);
    }

    private static SmtpReply send(InetSocketAddress port, OutgoingMessage outgoing) {
        try (var talk = SmtpTalker.introducedTo(port)) {
            return talk.send(outgoing);
        }
    }

    private static List<String> recipientsOf(SmtpSink sink, String id) {
        return sink.messages().stream().filter(delivery -> delivery.id().equals(id))
                .flatMap(delivery -> delivery.recipients().stream()).toList();
    }

    private static ReceivedMessage delivery(SmtpSink sink, String id) {
        return sink.messages().stream().filter(delivery -> delivery.id().equals(id)).findFirst().orElseThrow();
    }
}
