package org.slipstream.cli;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// The manual pages. `ManualPagesIT` gives them to man and mandoc.
class ManualCommandTest {
    @TempDir
    Path folder;
    private Console console;

    @BeforeEach
    void aConsole() {
        console = new Console(folder);
    }

    @Test
    void everyCommandHasAPageAndNoHiddenOneHas() {
        CommandLine mta = Cli.commandLine(console.world());
        assertThat(pages("one").keySet())
                .containsAll(mta.getSubcommands().entrySet().stream()
                        .filter(each -> !each.getValue().getCommandSpec().usageMessage().hidden())
                        .map(each -> "mta-" + each.getKey() + ".1").toList())
                .contains("mta.1", "mta.toml.5").doesNotContain("mta-man.1");
    }

    /// Every option that `--help` shows.
    @Test
    void aPageHasTheOptionsOfItsSubcommands() {
        String page = pages("one").get("mta-queue.1");
        CommandLine queue = Cli.commandLine(console.world()).getSubcommands().get("queue");
        queue.getSubcommands().forEach((name, command) -> {
            assertThat(page).contains(".SH \"mta queue " + name + "\"");
            // The options of every command stand in mta.1.
            command.getCommandSpec().options().stream().filter(each -> !each.hidden() && !each.inherited())
                    .forEach(each -> assertThat(page).contains(each.longestName().replace("-", "\\-")));
        });
    }

    @Test
    void aLineOfTextIsNeverARequest() {
        assertThat(pages("one").values()).allSatisfy(page -> assertThat(page.lines())
                .filteredOn(line -> line.startsWith(".") || line.startsWith("'"))
                .allSatisfy(line -> assertThat(line).matches("\\.(TH|SH|PP|TP|nf|fi|nh|ad)( .*)?")));
    }

    @Test
    void twoRunsWriteEqualBytes() {
        assertThat(pages("one")).isEqualTo(pages("two"));
    }

    private Map<String, String> pages(String name) {
        Path to = folder.resolve(name);
        assertThat(console.run("man", "--to", to.toString()).exit()).isZero();
        try (Stream<Path> files = Files.list(to)) {
            return files.collect(Collectors.toMap(file -> file.getFileName().toString(), ManualCommandTest::read,
                    (one, _) -> one, TreeMap::new));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.US_ASCII);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
