package org.slipstream.it;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The packaged server, whose operator changes the settings under load.
@RequiresPrograms({"logrotate"})
class ReloadIT {
    private static final int SENDERS = 4;
    private static final int EACH = 250;
    private static final int HANGUPS = 40;

    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void underLoadNoConnectionAndNoDeliveryIsLost() throws Exception {
        SmtpSink sink = bench.smtpSink();
        Path home = bench.home();
        PackagedServer server = bench.server(home, Settings.quick().route(Settings.FAR_DOMAIN, sink));
        try (SmtpTalker idle = SmtpTalker.introducedTo(server.smtp())) {
            List<CompletableFuture<Void>> senders = IntStream.range(0, SENDERS)
                    .mapToObj(number -> CompletableFuture.runAsync(() -> send(server, number))).toList();
            for (int i = 0; i < HANGUPS; i++) {
                settings(home, "[queue]\nlanes-per-destination = " + (1 + i % 7) + "\n[limits]\nhops = " + (50 + i));
                hangUp(server);
                int times = i + 1;
                Awaitility.await().atMost(Duration.ofSeconds(60))
                        .until(() -> count(server.log(), "event=configuration-reloaded") >= times);
            }
            senders.forEach(CompletableFuture::join);
            idle.must(250, "NOOP");
        }
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> sink.count() >= SENDERS * EACH);
        Map<String, Long> perMessage = sink.contents().stream().map(ReloadIT::subject)
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        assertThat(perMessage).hasSize(SENDERS * EACH).allSatisfy((_, times) -> assertThat(times).isEqualTo(1));
        assertThat(server.log()).doesNotContain("ERROR").doesNotContain("event=sessions-aborted");
    }

    @Test
    void aMistakeIsToldWithItsLineAndRunningSettingsAreShown() throws Exception {
        Path home = bench.home();
        PackagedServer server = bench.server(home, Settings.quick());
        settings(home, "[limits]\nhops = \"many\"");
        ProgramRun refused = server.command("reload");
        assertThat(refused.exit()).isEqualTo(78);
        assertThat(refused.err()).contains("mta.toml:2").contains("limits.hops").contains("nothing has changed");
        Files.move(home.resolve("mta.toml"), home.resolve("aside"));
        assertThat(server.command("reload").err()).contains("mta.toml: there is no such file", "nothing has changed");
        settings(home, "[limits]\nhops = 33\n[spool]\nsegment-size = \"1MiB\"");
        assertThat(server.command("config", "--running").out()).containsPattern("limits.hops .*reload")
                .containsPattern("spool.segment-size .*restart");
        assertThat(server.command("check").out())
                .contains("mta.toml:4: spool.segment-size: takes effect at the next start of the server: the spool")
                .doesNotContain("limits.hops");
        assertThat(server.command("reload").out()).contains("limits.hops changed; in force now")
                .contains("spool.segment-size changed; takes effect at the next start");
        assertThat(server.command("config", "--running", "limits.hops").out()).contains("33").contains("mta.toml:2");
    }

    @Test
    void theLogFileIsRotatedByLogrotate() throws Exception {
        Path home = bench.home();
        PackagedServer server = bench.server(home, Settings.quick().set("log.file", "mta.log"));
        Path file = home.resolve("mta.log");
        assertThat(file).exists();
        Path rules = Files.writeString(home.resolve("rotate.conf"),
                file + " {\n  rotate 2\n  nocreate\n  su root root\n}\n");
        Process rotate = new ProcessBuilder("logrotate", "--force", "--state", home.resolve("state").toString(),
                rules.toString()).inheritIO().start();
        assertThat(rotate.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(rotate.exitValue()).isZero();
        hangUp(server);
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(
                () -> Files.exists(file) && Files.readString(file).contains("event=configuration-reloaded"));
        assertThat(home.resolve("mta.log.1")).content().contains("event=server-started");
    }

    private static void settings(Path home, String text) throws IOException {
        Path aside = Files.writeString(home.resolve("mta.toml.new"), text + "\n");
        Files.move(aside, home.resolve("mta.toml"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    private static void hangUp(PackagedServer server) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-HUP", Long.toString(server.pid())).start().waitFor()).isZero();
    }

    private static void send(PackagedServer server, int number) {
        try (SmtpTalker client = SmtpTalker.introducedTo(server.smtp())) {
            for (int i = 0; i < EACH; i++) {
                byte[] content = ("Subject: m" + number + "-" + i + "\r\n\r\nx\r\n")
                        .getBytes(StandardCharsets.US_ASCII);
                assertThat(client.send(new OutgoingMessage("a@here.example", List.of("u@far.example"), content))
                        .toString()).startsWith("250");
            }
        }
    }

    private static String subject(String content) {
        return content.lines().filter(line -> line.startsWith("Subject: ")).findFirst().orElseThrow();
    }

    private static int count(String text, String part) {
        return text.split(part, -1).length - 1;
    }
}
