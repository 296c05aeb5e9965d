package org.slipstream.server;

import org.junit.jupiter.api.Test;
import org.slipstream.cli.Cli;
import picocli.CommandLine;

import java.io.ByteArrayOutputStream;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// Scripts read what commands show, so each command has `--json`, or a reason not to.
class JsonOptionTest {
    private static final String ORDER = "an order: its exit code is the answer, and its line a confirmation";
    private static final String FILE = "its output is a file or a report of its own form";
    private static final String OTHER = "its output is that of the program whose name it has, or a page";
    private static final Map<String, String> WITHOUT = Stream.of(
            Stream.of("destdb forget", "destdb resume", "destdb suspend", "freeze", "thaw", "resume", "queue bounce",
                    "queue delete", "queue expire", "queue flush", "queue hold", "queue priority", "queue release",
                    "queue requeue", "queue reroute", "send", "source resume", "source suspend", "spool corrupt forget",
                    "spool corrupt report", "spool import", "spool repair", "suppression add", "suppression import",
                    "suppression remove",
                    "shaping apply", "shaping end",
                    "token add", "token remove", "user add", "user passwd",
                    "user release", "user remove", "warm-up", "webhook pause", "webhook replay", "webhook resume",
                    "webhook test", "run").map(each -> Map.entry(each, ORDER)),
            Stream.of("completion", "events follow", "events list", "lab golden", "lab study", "report template",
                    "spool export",
                    "suppression export")
                    .map(each -> Map.entry(each, FILE)),
            Stream.of("man", "newaliases", "sendmail", "sink").map(each -> Map.entry(each, OTHER)))
            .flatMap(each -> each).collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));

    @Test
    void everyCommandThatShowsSomethingHasJson() {
        assertThat(leaves().filter(each -> !each.hasJson()).map(Leaf::path))
                .containsExactlyInAnyOrderElementsOf(WITHOUT.keySet());
    }

    /// The commands with `--json`, in the order of the help.
    static Stream<String> withJson() {
        return leaves().filter(Leaf::hasJson).map(Leaf::path);
    }

    private static Stream<Leaf> leaves() {
        return leaves(Cli.commandLine(Shell.world(new ByteArrayOutputStream(), new ByteArrayOutputStream()), "--help"),
                "");
    }

    private record Leaf(String path, CommandLine line) {
        boolean hasJson() {
            return line.getCommandSpec().findOption("--json") != null;
        }
    }

    private static Stream<Leaf> leaves(CommandLine line, String path) {
        if (line.getSubcommands().isEmpty()) {
            return Stream.of(new Leaf(path, line));
        }
        return line.getSubcommands().entrySet().stream()
                .flatMap(each -> leaves(each.getValue(), (path + " " + each.getKey()).strip()));
    }
}
