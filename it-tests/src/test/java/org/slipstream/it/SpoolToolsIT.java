package org.slipstream.it;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The index is missing, or mail has to move: the commands of the operator, and the behaviour of
/// the server without them.
class SpoolToolsIT {
    @RegisterExtension
    final Workbench bench = new Workbench();
    private SmtpSink far;
    private PackagedServer server;

    @BeforeEach
    void start() {
        far = bench.smtpSink();
        far.stop();
        server = bench.server(Settings.quick().route("far.example", far));
    }

    @Test
    void anIndexThatCannotBeReadIsMadeAgainFromTheLogAndTheMailIsDelivered() throws IOException {
        waiting("first");
        waiting("second");
        assertThat(server.stop()).isZero();
        Files.write(server.home().resolve("spool/index.mv.db"), new byte[20_000]);

        far.startAgain();
        server.startAgain();

        eventually().untilAsserted(
                () -> assertThat(far.messages()).extracting(ReceivedMessage::id).containsExactlyInAnyOrder("first",
                        "second"));
        assertThat(server.log()).contains("event=index-made-again-from-log");
        try (var files = Files.list(server.home().resolve("spool"))) {
            assertThat(files).anyMatch(file -> file.getFileName().toString().startsWith("index-damaged-"));
        }
    }

    @Test
    void aRunningServersSpoolIsLeftAloneAndAStoppedOnesIsVerifiedAndExported() throws IOException {
        waiting("first");
        var refused = Program.run(server.home(), "spool", "verify");
        assertThat(refused.exit()).as(refused.err()).isEqualTo(5);
        assertThat(refused.err()).contains("in use by process");

        assertThat(server.stop()).isZero();
        var verified = Program.run(server.home(), "spool", "verify");
        assertThat(verified.exit()).as(verified.out() + verified.err()).isZero();
        assertThat(verified.out()).contains("1 messages queued, 0 findings");

        Path files = server.home().resolve("exported");
        assertThat(Program.run(server.home(), "spool", "export", files.toString()).exit()).isZero();
        try (var written = Files.list(files)) {
            assertThat(Files.readString(written.findFirst().orElseThrow())).contains(
                    "X-Slipstream-To: <friend@far.example>", "Text of first.");
        }
        assertThat(Program.run(server.home(), "spool", "import", files.toString()).out())
                .contains("1 messages imported, 2 queued now");
    }

    @Test
    void aMessageThatTheDiskHasLostIsNamedAndItsSenderIsToldWhenTheOperatorSaysSo() throws IOException {
        waiting("lost");
        assertThat(server.stop()).isZero();
        server.startAgain();
        waiting("kept");
        assertThat(server.stop()).isZero();
        Files.delete(server.home().resolve("spool/log/0000000001.segment"));

        server.startAgain();
        assertThat(Queue.of(server).status().path("corrupt").asInt()).isEqualTo(1);
        assertThat(Queue.of(server).messages()).hasSize(1);
        assertThat(server.log()).contains("event=message-set-aside", "segment 1 is missing");
        assertThat(server.stop()).isZero();

        var verified = Program.run(server.home(), "spool", "verify");
        assertThat(verified.exit()).isEqualTo(1);
        assertThat(verified.out()).contains("from <alice@here.example> to <friend@far.example> is set aside",
                "0000000001.segment is missing", "mta spool corrupt report");
        assertThat(Program.run(server.home(), "spool", "corrupt", "list").out()).contains("<friend@far.example>",
                "1 messages set aside");
        var told = Program.run(server.home(), "spool", "corrupt", "report", "--all");
        assertThat(told.exit()).as(told.out() + told.err()).isZero();
        assertThat(told.out()).contains("1 messages reported to their senders, 0 still set aside");

        far.startAgain();
        server.startAgain();
        eventually().untilAsserted(
                () -> assertThat(far.messages()).extracting(ReceivedMessage::id).containsExactly("kept"));
        eventually().untilAsserted(() -> assertThat(server.mail().count("alice@here.example")).isEqualTo(1));
        assertThat(Queue.of(server).status().path("corrupt").asInt()).isZero();
    }

    @Test
    void aStartWithAnEmptyLogIsRefusedUntilTheOperatorRepairs() throws IOException {
        waiting("lost");
        assertThat(server.stop()).isZero();
        try (var segments = Files.list(server.home().resolve("spool/log"))) {
            for (Path segment : segments.toList()) {
                Files.delete(segment);
            }
        }
        Files.delete(server.home().resolve("spool/log"));

        for (String[] command : new String[][]{{"run"}, {"spool", "verify"}, {"spool", "export", "x"}}) {
            var refused = Program.run(server.home(), command);
            assertThat(refused.exit()).as(refused.err()).isEqualTo(5);
            assertThat(refused.err()).contains("put the folder back", "mta spool repair");
        }
        var repaired = Program.run(server.home(), "spool", "repair");
        assertThat(repaired.exit()).isEqualTo(1);
        assertThat(repaired.out()).contains("from <alice@here.example> to <friend@far.example> is set aside");
        server.startAgain();
        assertThat(Queue.of(server).status().path("corrupt").asInt()).isEqualTo(1);
        waiting("new");
    }

    private void waiting(String name) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of(name, "alice@here.example", List.of("friend@far.example"),
                    Bytes.ascii("Text of " + name + ".\r\n"))).code()).isEqualTo(250);
        }
        eventually().untilAsserted(() -> assertThat(Queue.of(server).messages()).isNotEmpty()
                .allSatisfy(message -> assertThat(Queue.lastReply(message)).isNotBlank()));
    }
}
