package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.UnusedPort;
import org.slipstream.testkit.server.PackagedServer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// A gateway: the server behind it is asked whether it knows a recipient, before mail of strangers is accepted.
@Tag("FI-07")
class RelayVerifyIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final int PROBES = 2;
    private static SmtpSink inner;
    private static SmtpSink silent;
    private static PackagedServer server;

    @BeforeAll
    static void start() {
        inner = BENCH.smtpSink();
        inner.change(script -> script.onRecipient("gone@*", SinkAction.reply("550 5.1.1 no such user"))
                .onRecipient("new@*", SinkAction.reply("550 5.1.1 no such user"))
                .onRecipient("full@*", SinkAction.reply("450 4.2.2 mailbox full")));
        silent = BENCH.smtpSink();
        silent.change(script -> script.onRecipient("*", SinkAction.stall()));
        server = BENCH.server(gateway("inner.example,silent.example,down.example")
                .route("inner.example", inner).route("silent.example", silent)
                .route("down.example", "smtp:127.0.0.1:" + BENCH.keep(new UnusedPort()).port()));
    }

    private static Settings gateway(String domains) {
        return Settings.quick().set("relay.networks", "192.0.2.0/24").set("relay.verify", "true")
                .set("relay.domains", domains);
    }

    private static String reply(String recipient) {
        return reply(server, recipient);
    }

    private static String reply(PackagedServer gateway, String recipient) {
        try (SmtpTalker talker = SmtpTalker.introducedTo(gateway.smtp())) {
            talker.say("MAIL FROM:<eve@stranger.example>");
            return talker.say("RCPT TO:<" + recipient + ">").toString();
        }
    }

    private static long probes(SmtpSink sink, String recipient) {
        return sink.commands().stream().filter(each -> each.startsWith("RCPT TO:<" + recipient + ">")).count();
    }

    @Test
    void theNextServerIsAskedOnceForEachRecipientAndItsAnswerIsTheReply() {
        for (int i = 0; i < 5; i++) {
            assertThat(reply("ann@inner.example")).startsWith("250");
            assertThat(reply("gone@inner.example")).startsWith("550").contains("5.1.1 <gone@inner.example>",
                    "said: 550 5.1.1 no such user");
            assertThat(reply("full@inner.example")).startsWith("450").contains("4.1.1 ", "try again later");
        }
        for (String name : List.of("ann", "gone", "full")) {
            assertThat(probes(inner, name + "@inner.example")).as(name).isEqualTo(1);
        }
        assertThat(inner.messages()).isEmpty();
        assertThat(server.log())
                .contains("event=recipient-verified recipient=<gone@inner.example> result=undeliverable");
    }

    @Test
    void aServerThatIsSilentOrDownDelaysTheMailOfTheDomain() {
        assertThat(reply("ann@silent.example")).startsWith("450").contains("4.1.1 ");
        assertThat(reply("ann@down.example")).startsWith("450").contains("4.1.1 ");
        assertThat(reply("postmaster@down.example")).as("never asked for").startsWith("250");
    }

    @Test
    void anOperatorWhoVerifiesANewMailboxEndsItsRefusal() {
        assertThat(reply("new@inner.example")).startsWith("550");
        inner.change(script -> script.onRecipient("new@*", SinkAction.usual()));
        assertThat(reply("new@inner.example")).as("remembered").startsWith("550");
        assertThat(server.command("verify", "new@inner.example").exit()).isZero();
        assertThat(reply("new@inner.example")).startsWith("250");
        assertThat(probes(inner, "new@inner.example")).isEqualTo(2);
    }

    /// Four servers behind hold their replies, and two probes are under way; the others wait longer than their clients.
    @Test
    void allProbesTogetherHaveTheirShareOfConnections() throws Exception {
        List<SmtpSink> sinks = new ArrayList<>();
        Settings settings = gateway("b0.example,b1.example,b2.example,b3.example")
                .set("placement.probe-concurrency", Integer.toString(PROBES)).set("placement.probe-scale", "0");
        for (int i = 0; i < 4; i++) {
            sinks.add(BENCH.smtpSink());
            sinks.get(i).change(script -> script.onRecipient("*", SinkAction.usual().holds()));
            settings = settings.route("b" + i + ".example", sinks.get(i));
        }
        PackagedServer gateway = BENCH.server(settings);
        assertThat(repliesOfFour(gateway)).allMatch(reply -> reply.startsWith("450"));
        assertThat(sinks.stream().mapToInt(SmtpSink::mostTransactions).sum()).isEqualTo(PROBES);
        for (SmtpSink sink : sinks) {
            sink.change(script -> script.onRecipient("*", SinkAction.usual()));
            sink.release();
        }
        eventually().untilAsserted(() -> assertThat(gateway.log()).contains("recipient=<user@b0.example> result=d",
                "recipient=<user@b1.example> result=d", "recipient=<user@b2.example> result=d",
                "recipient=<user@b3.example> result=d"));
        assertThat(repliesOfFour(gateway)).allMatch(reply -> reply.startsWith("250"));
    }

    private static List<String> repliesOfFour(PackagedServer gateway) throws Exception {
        List<Future<String>> sessions = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 4; i++) {
                String recipient = "user@b" + i + ".example";
                sessions.add(threads.submit(() -> reply(gateway, recipient)));
            }
        }
        return sessions.stream().map(Future::resultNow).toList();
    }
}
