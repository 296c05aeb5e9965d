package org.slipstream.lab.scenario;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.lab.scenario.ScenarioReader.Reading;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/// `docs/scenarios.md` has every key of a scenario file and no other key.
class ScenarioPageTest {
    private static final Path PAGE = Path.of("..", "docs", "scenarios.md");

    private static String page() throws IOException {
        return Files.readString(PAGE);
    }

    private static String example() throws IOException {
        String page = page();
        int from = page.indexOf("```toml\n") + 8;
        return page.substring(from, page.indexOf("```", from));
    }

    @Test
    void theExampleWithAllKeysRunsAsItExpects() throws IOException {
        Reading reading = ScenarioReader.read("everything.toml", example());
        assertThat(reading).isInstanceOf(Reading.Good.class);
        ScenarioRunner.ScenarioRun run = ScenarioRunner.run(((Reading.Good) reading).file());

        assertThat(run.isAsExpected()).as(String.join("\n", RunText.lines(run))).isTrue();
    }

    // The sentence about an unknown key has all known keys.
    @ParameterizedTest
    @CsvSource({"[settings]", "[transport]", "[placement]", "[servers.x]", "[[routes]]", "[[messages]]", "[expect]",
            "[shard]", "[[orders]]", "[transport.x]"})
    void everyKeyThatIsKnownStandsOnThePage(String section) throws IOException {
        String needed = switch (section) {
            case "[[routes]]" -> "\ndomain = \"*\"";
            case "[[orders]]" -> "\norder = \"suspend\"\ntransport = \"smtp\"";
            default -> "";
        };
        String to = section.equals("[[messages]]") ? "\nto = { \"a.example\" = 1 }" : "";
        String other = to.isEmpty() ? "\n[[messages]]\nto = { \"a.example\" = 1 }\n" : "";
        Reading reading = ScenarioReader.read("x.toml",
                "title = \"T\"\n" + section + "\nzzzzzzzzzzzzzzzzzzzzzzz = 1" + needed + to + other);
        assertThat(reading).isInstanceOf(Reading.Bad.class);
        String sentence = ((Reading.Bad) reading).sentence();

        assertThat(sentence).contains("; there is ");
        for (String key : sentence.substring(sentence.indexOf("; there is ") + 11).split(", ")) {
            assertThat(page()).as(key + " of " + section).containsPattern("(?m)(^|`|\\{ |, |or )" + key + " = ");
        }
    }
}
