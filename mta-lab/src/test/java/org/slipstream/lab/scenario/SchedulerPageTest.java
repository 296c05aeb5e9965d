package org.slipstream.lab.scenario;

import org.junit.jupiter.api.Test;
import org.slipstream.lab.scenario.ScenarioReader.Reading;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/// The outputs of the lab in `docs/scheduler.md` are current. `-Dslipstream.golden=write` writes
/// them.
///
/// `<!-- lab: NAME -->` stands before a block with the whole output, `<!-- lab: NAME part -->` before
/// a block without the tables.
class SchedulerPageTest {
    private static final Path ESSAY = Path.of("..", "docs", "scheduler.md");
    private static final Pattern BOX = Pattern.compile("<!-- lab: (\\S+)( part)? -->\n```\n(.*?)```\n", Pattern.DOTALL);

    @Test
    void theOutputsAreCurrent() throws IOException {
        String essay = Files.readString(ESSAY);
        String current = BOX.matcher(essay).replaceAll(box -> Matcher.quoteReplacement(box(box)));
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.writeString(ESSAY, current);
        }
        assertThat(essay).isEqualTo(current);
    }

    @Test
    void thePageHasOutputs() throws IOException {
        String essay = Files.readString(ESSAY);
        assertThat(BOX.matcher(essay).results()).hasSizeGreaterThan(15);
        assertThat(essay.split("<!-- lab: ", -1)).as("each mark stands before a block")
                .hasSize(1 + (int) BOX.matcher(essay).results().count());
    }

    private static String box(MatchResult box) {
        String name = box.group(1);
        boolean part = box.group(2) != null;
        return "<!-- lab: " + name + (part ? " part" : "") + " -->\n```\n" + quoted(name, part) + "```\n";
    }

    private static String quoted(String name, boolean part) {
        Reading reading = ScenarioReader.read(BundledScenarios.file(name), BundledScenarios.find(name).orElseThrow());
        List<String> lines = RunText.lines(ScenarioRunner.run(((Reading.Good) reading).file()));
        return "$ ./mta lab run " + name + "\n"
                + lines.stream().filter(line -> !part || !isOfATable(lines, line)).map(line -> line + "\n")
                        .collect(Collectors.joining()).replaceAll("\n{3,}", "\n\n").stripTrailing()
                + "\n";
    }

    /// A table is a paragraph that begins with its column titles.
    private static boolean isOfATable(List<String> lines, String line) {
        int at = lines.indexOf(line);
        while (at > 0 && !lines.get(at - 1).isEmpty()) {
            at--;
        }
        return lines.get(at).startsWith("message ") || lines.get(at).startsWith("destination ");
    }
}
