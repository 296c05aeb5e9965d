package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.MailAccount;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.UnusedPort;

import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Mail that a server must not multiply: a loop between two servers, and reports to people who sent
/// nothing.
class LoopIT {
    private static final int HOPS = 12;
    private static final int MESSAGES = 5;
    @RegisterExtension
    final Workbench bench = new Workbench();

    /// Each of two servers believes that the other one serves the domain.
    @Test
    void aLoopBetweenTwoServersEndsInOneReport() {
        int port = UnusedPort.now();
        var here = bench.server(Settings.quick().route("loop.example", "smtp:127.0.0.1:" + port)
                .set("limits.hops", String.valueOf(HOPS)));
        var there = bench.server(Settings.quick().set("hostname", "mail.there.example")
                .set("local.domains", "there.example").set("listen.smtp", "127.0.0.1:" + port)
                .set("limits.hops", String.valueOf(HOPS)).route("loop.example", address(here.smtp().getPort()))
                .route("here.example", address(here.smtp().getPort())));
        var account = MailAccount.of("loop");
        for (int i = 0; i < MESSAGES; i++) {
            account.send(here, "loop.example");
        }
        eventually().until(() -> Queue.of(here).isEmpty() && Queue.of(there).isEmpty());
        account.settles(here, 0);
        assertThat(here.mail().count(account.sender())).isEqualTo(MESSAGES);
        long accepted = (here.log() + there.log()).lines().filter(line -> line.contains("event=message-accepted"))
                .count();
        assertThat(accepted).as("hops and reports").isBetween(2L * MESSAGES, (long) MESSAGES * (HOPS + 2));
    }

    private static String address(int port) {
        return "smtp:127.0.0.1:" + port;
    }

    /// A report goes to the one sender, once, for all that failed, and none answers a report.
    @Test
    void aForgedSenderHasOneReportAndAReportHasNone() {
        SmtpSink far = bench.smtpSink();
        far.change(script -> script.onRecipient("nobody*", SinkAction.reply("550 5.1.1 no such user")));
        var server = bench.server(Settings.quick().route(Settings.FAR_DOMAIN, far).set("local.mailboxes", "known"));
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of("unknown@x", "victim@far.example", "unknown@here.example")).code())
                    .as("refused, so that nobody has to be told").isEqualTo(550);
            assertThat(talk.send(OutgoingMessage.of("forged@x", "victim@far.example",
                    IntStream.range(0, 40).mapToObj(i -> "nobody" + i + "@far.example").toList(), new byte[0])).code())
                    .isEqualTo(250);
            var toReport = OutgoingMessage.of("report@x", "victim@far.example", "nobody@far.example");
            assertThat(talk.send(new OutgoingMessage("", List.of("nobody@far.example"), toReport.content())).code())
                    .isEqualTo(250);
        }
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(far.messages()).singleElement().satisfies(report -> {
            assertThat(report.sender()).isEmpty();
            assertThat(report.recipients()).containsExactly("victim@far.example");
        });
    }
}
