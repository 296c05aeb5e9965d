package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.UnusedPort;
import org.slipstream.testkit.server.PackagedServer;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The decision journal of the packaged program: its replay decides the same, for a run that was
/// killed and for one that was stopped.
class JournalIT {
    private static final int MESSAGES = 200;
    private static final byte[] BODY = Bytes.ascii("Subject: x\r\n\r\nA line.\r\n");

    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void theReplayOfAServerDecidesTheSameAfterAKillAndAfterAStop() throws IOException {
        var far = bench.smtpSink();
        var server = bench.server(Settings.quick().route("far.example", far)
                .route("dead.example", "smtp:127.0.0.1:" + bench.keep(new UnusedPort()).port())
                .set("journal.file", "decisions.jsonl").set("queue.in-flow-delay", "0s"));
        send(server, 0, MESSAGES / 2);
        eventually().until(() -> far.messages().size() == MESSAGES / 2);
        server.command("destdb", "suspend", "127.0.0.1", "--reason", "a test").mustSucceed();
        server.command("queue", "flush").mustSucceed();
        server.kill9();

        server.startAgain();
        assertReplay(server, "decisions.jsonl.old");
        server.command("destdb", "resume", "127.0.0.1").mustSucceed();
        // A message of the dead host may never be placed in this life.
        String id = send(server, MESSAGES / 2, MESSAGES);
        eventually().until(() -> far.messages().size() >= MESSAGES
                && far.messages().stream().anyMatch(each -> each.id().equals("journal-" + (MESSAGES - 1) + "@x")));
        assertReplay(server, "decisions.jsonl");
        var page = server.home().resolve("page.html");
        assertThat(server.command("lab", "replay", server.home().resolve("decisions.jsonl").toString(), "--page",
                page.toString(), "--message", id).mustSucceed().out()).contains("121 moments are in ");
        assertThat(Files.readString(page)).contains("smtp/[127.0.0.1]", "</time> is placed: ");
        var forecast = server.command("lab", "what-if", "--from-live", "--set", "queue.lanes=1").mustSucceed().out();
        assertThat(forecast).contains("Assumptions:").contains("dead.example");
        assertThat(Queue.of(server).size()).as("mail of the dead host waits").isPositive();
        assertThat(server.stop()).isZero();
        assertReplay(server, "decisions.jsonl");
        assertThat(Files.readString(server.home().resolve("decisions.jsonl"))).contains("\"record\":\"closing\"")
                .contains("\"record\":\"window-change\"").contains("\"record\":\"deferred-untried\"");
    }

    /// @return the queue id of the last one
    private static String send(PackagedServer server, int from, int to) {
        String reply = "";
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            for (int number = from; number < to; number++) {
                var recipients = number % 10 == 0
                        ? List.of("a@far.example", "b@dead.example", "c@here.example")
                        : List.of("a@far.example", "c@here.example");
                reply = talk.send(OutgoingMessage.of("journal-" + number + "@x", "me@here.example", recipients, BODY))
                        .toString();
                assertThat(reply).startsWith("250 ");
            }
        }
        return reply.substring(reply.lastIndexOf(' ') + 1);
    }

    private static void assertReplay(PackagedServer server, String file) {
        var run = server.command("lab", "replay", server.home().resolve(file).toString()).mustSucceed();
        assertThat(run.out()).contains("the replay decided the same").doesNotContain("ends before");
        assertThat(Integer.parseInt(run.out().substring(0, run.out().indexOf(' ')))).isGreaterThan(MESSAGES);
    }
}
