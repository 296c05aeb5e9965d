package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.fixture.PageBlocks;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The programs of docs/events.md learn what became of each message, as does an operator.
@RequiresPrograms({"python3", "node", "php"})
class EventsIT {
    @RegisterExtension
    final Workbench bench = new Workbench();
    private SmtpSink far;
    private PackagedServer server;

    private void start() {
        far = bench.smtpSink();
        far.change(script -> script.onRecipients(recipient -> recipient.startsWith("never")
                ? Optional.of(SinkAction.reply("550 5.1.1 User unknown"))
                : Optional.empty()));
        server = bench.server(Settings.quick().route("far.example", far).set("events.keep", "1d"));
    }

    private void send(String id, String... recipients) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of(id, "shop@here.example", List.of(recipients), new byte[0])).code())
                    .isEqualTo(250);
        }
    }

    private List<JsonNode> events(String... arguments) {
        var words = new java.util.ArrayList<>(List.of("events", "list", "--json-lines"));
        words.addAll(List.of(arguments));
        return server.command(words.toArray(String[]::new)).mustSucceed().out().lines()
                .map(JsonMapper.builder().build()::readTree)
                .toList();
    }

    private static List<String> delivered(List<JsonNode> events) {
        return events.stream().filter(each -> each.get("kind").asString().equals("delivered"))
                .map(each -> each.get("recipient").asString()).toList();
    }

    private static List<String> kinds(List<JsonNode> events) {
        return events.stream().map(each -> each.get("kind").asString()).toList();
    }

    @Test
    void anOperatorSeesEachFactAndGoesOnBehindTheLast() {
        start();
        far.change(script -> script.on(SinkPhase.FINAL_DOT, SinkAction.reply("451 4.3.2 busy").applies(1)));
        send("one@x.example", "friend@far.example", "never@far.example");
        // The report about the other recipient is a message of its own, and may be first or last.
        eventually().untilAsserted(() -> assertThat(delivered(events())).containsExactlyInAnyOrder(
                "friend@far.example", "shop@here.example"));
        var all = events();
        assertThat(kinds(all)).startsWith("accepted").contains("bounced", "deferred", "delivered");
        var delivered = all.stream().filter(each -> each.get("kind").asString().equals("delivered")
                && each.get("recipient").asString().equals("friend@far.example")).toList();
        assertThat(delivered).hasSize(1);
        assertThat(delivered.getFirst().get("attempt").asInt()).isEqualTo(2);
        assertThat(delivered.getFirst().get("messageId").asString()).contains("one@x.example");
        assertThat(events("--after", all.getLast().get("cursor").asString())).isEmpty();
        assertThat(events("--since", "1h")).hasSizeGreaterThanOrEqualTo(all.size());
        assertThat(server.command("events", "list").mustSucceed().out()).contains("550 5.1.1 User unknown");
    }

    /// The same program is stopped in the middle, and goes on where it was.
    @ParameterizedTest
    @ValueSource(strings = {"reader.py", "reader.cjs", "reader.php", "Reader.java"})
    void aProgramKnowsWhatBecameOfEachMessage(String file) throws Exception {
        start();
        Path folder = bench.folder();
        Files.writeString(folder.resolve(file), new PageBlocks("events.md").program(file));
        send("one@x.example", "friend@far.example");
        assertThat(said(folder, file, 1)).containsExactly("delivered friend@far.example <one@x.example>");
        send("two@x.example", "never@far.example");
        assertThat(said(folder, file, 1)).containsExactly("bounced never@far.example <two@x.example>");
    }

    /// Runs the program until it has written so many lines, and its place is kept.
    private List<String> said(Path folder, String file, int lines) throws Exception {
        var command = switch (file.substring(file.lastIndexOf('.'))) {
            case ".py" -> List.of("python3", file);
            case ".cjs" -> List.of("node", file);
            case ".php" -> List.of("php", file);
            default -> List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                    System.getProperty("java.class.path"), file);
        };
        var cursor = folder.resolve("cursor");
        var before = Files.exists(cursor) ? Files.readString(cursor) : "";
        var builder = new ProcessBuilder(command).directory(folder.toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().merge("PATH", Program.folder().toString(),
                (path, ours) -> ours + File.pathSeparator + path);
        builder.environment().put("SLIPSTREAM_HOME", server.home().toString());
        Process process = builder.start();
        try (var out = process.inputReader()) {
            var said = new java.util.ArrayList<String>();
            for (int i = 0; i < lines; i++) {
                String line = out.readLine();
                assertThat(line).as(() -> read(folder.resolve("err"))).isNotNull();
                said.add(line);
            }
            eventually().until(() -> Files.exists(cursor) && !Files.readString(cursor).equals(before)
                    && events("--after", Files.readString(cursor)).stream()
                            .noneMatch(each -> each.toString().contains("shop@here.example")
                                    && each.has("number")));
            return said;
        } finally {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
            process.waitFor();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException e) {
            return e.toString();
        }
    }
}
