package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.MailAssert;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// A server that cannot start prints the reason in one sentence, exits with the documented code,
/// and changes nothing.
class StartFailuresIT {
    private static final int WRONG_USAGE = 2;
    private static final int WRONG_CONFIGURATION = 78;
    private static final int CANNOT_START = 5;
    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void anUnknownKeyIsNamedWithItsLineAndASuggestion() throws IOException {
        var home = bench.home();
        Files.writeString(home.resolve("mta.toml"), """
                hostname = "mail.here.example"

                [limits]
                mesage-size = "10MiB"
                hops = "many"

                [quue]
                lifetime = "5d"
                """);
        for (var command : List.of("check", "run")) {
            var ran = Program.run(home, command);
            assertThat(ran.exit()).as("%s: %s%s", command, ran.out(), ran.err()).isEqualTo(WRONG_CONFIGURATION);
            assertThat(ran.out() + ran.err()).contains("mta.toml:4", "mesage-size", "message-size")
                    .contains("mta.toml:5", "hops").contains("mta.toml:7", "quue", "queue").doesNotContain("\tat ");
        }
        assertThat(home.resolve("spool")).as("nothing was begun").doesNotExist();
    }

    @Test
    void aWrongSettingOnTheCommandLineIsNamedToo() {
        var ran = Program.run(bench.home(), "check", "--set", "queue.minimal-backof=1s");
        assertThat(ran.exit()).isEqualTo(WRONG_CONFIGURATION);
        assertThat(ran.out() + ran.err()).contains("queue.minimal-backof", "minimal-backoff");
    }

    @Test
    void aFileThatIsNoTomlIsNamedWithItsLine() throws IOException {
        var home = bench.home();
        Files.writeString(home.resolve("mta.toml"), "hostname = \"mail.here.example\"\n[limits\n");
        var ran = Program.run(home, "check");
        assertThat(ran.exit()).isEqualTo(WRONG_CONFIGURATION);
        assertThat(ran.out() + ran.err()).contains("mta.toml:2").doesNotContain("\tat ");
    }

    @Test
    void theFileThatTheFirstStartWritesIsRight() {
        var server = bench.server(Settings.quick());
        assertThat(server.home().resolve("mta.toml")).isNotEmptyFile();
        assertThat(server.command("check").mustSucceed().out()).isNotNull();
    }

    @Test
    void anUnknownCommandIsExitCode2() {
        assertThat(Program.run(bench.home(), "rnu").exit()).isEqualTo(WRONG_USAGE);
        assertThat(Program.run(bench.home(), "queue", "show").exit()).isEqualTo(WRONG_USAGE);
    }

    @Test
    void aPortThatIsTakenIsNamed() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var ran = run(bench.home(), Settings.quick().set("listen.smtp", "127.0.0.1:" + taken.getLocalPort()));
            oneSentence(ran, CANNOT_START);
            assertThat(ran.err()).contains(String.valueOf(taken.getLocalPort()));
        }
    }

    /// A start that fails right after the warning, so that no server has to be stopped.
    @Test
    void aLimitOfOpenFilesBelowWhatTheSettingsAllowIsToldWithBothFigures() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var arguments = new ArrayList<>(List.of("run"));
            arguments.addAll(Settings.quick().set("listen.smtp", "127.0.0.1:" + taken.getLocalPort())
                    .set("limits.connections", "1500").arguments());
            var line = new ArrayList<>(List.of("bash", "-c", "ulimit -n 3000; exec \"$0\" \"$@\""));
            line.addAll(Program.commandLine(bench.home(), arguments.toArray(String[]::new)));
            var ran = ProgramRun.of(new byte[0], line);
            assertThat(ran.err()).containsPattern(
                    "WARN +event=open-files-too-few limit=3000 needed=3[0-9]{3} .*limits\\.connections");
        }
    }

    @Test
    void aFolderThatCannotBeWrittenIsNamed() throws IOException {
        // Root may write anywhere, so a file that is no folder blocks the path.
        var home = bench.home();
        Files.writeString(home.resolve("spool"), "I am a file.");
        var ran = run(home, Settings.quick());
        oneSentence(ran, CANNOT_START);
        assertThat(ran.err()).contains("spool");
        assertThat(home.resolve("spool")).hasContent("I am a file.");
    }

    @Test
    void aHomeThatIsAFileIsNamed() throws IOException {
        var home = bench.folder().resolve("home");
        Files.writeString(home, "I am a file.");
        var ran = run(home, Settings.quick());
        oneSentence(ran, CANNOT_START);
        assertThat(ran.err()).contains(home.toString());
        assertThat(home).hasContent("I am a file.");
    }

    @Test
    void aSecondServerOnTheSameSpoolIsRefusedAndTheFirstGoesOn() {
        var first = bench.server(Settings.quick());
        oneSentence(run(first.home(), Settings.quick()), CANNOT_START);
        var second = bench.home();
        var ran = run(second, Settings.quick().set("spool.directory", first.home().resolve("spool").toString()));
        oneSentence(ran, CANNOT_START);
        assertThat(ran.err()).contains("spool");

        var outgoing = OutgoingMessage.of("still@x", "someone@client.example", "alice@here.example");
        try (var talk = SmtpTalker.introducedTo(first.smtp())) {
            assertThat(talk.send(outgoing).code()).isEqualTo(250);
        }
        MailAssert.arrives(outgoing, first.mail(), "alice@here.example");
        // The first one's port and token are still those in its home.
        eventually().until(() -> Queue.of(first).isEmpty());
    }

    @Test
    void aCertificateThatIsMissingIsNamed() {
        var ran = run(bench.home(),
                Settings.quick().set("tls.certificate", "tls/none.crt").set("tls.key", "tls/none.key"));
        assertThat(ran.exit()).isIn(WRONG_CONFIGURATION, CANNOT_START);
        assertThat(ran.out() + ran.err()).contains("none.crt").doesNotContain("\tat ");
    }

    private static ProgramRun run(Path home, Settings settings) {
        var arguments = new ArrayList<>(List.of("run"));
        arguments.addAll(settings.arguments());
        return Program.run(home, arguments.toArray(String[]::new));
    }

    /// On standard error, possibly among log lines: no stack trace, and last the sentence for the
    /// operator.
    private static void oneSentence(ProgramRun ran, int exit) {
        assertThat(ran.exit()).as(ran.err()).isEqualTo(exit);
        assertThat(ran.out()).doesNotContain("ready");
        assertThat(ran.err().strip()).doesNotContain("\tat ", "Caused by").isNotEmpty();
        var sentences = ran.err().lines().filter(line -> !line.contains(" INFO ")).toList();
        assertThat(sentences).hasSize(1);
    }
}
