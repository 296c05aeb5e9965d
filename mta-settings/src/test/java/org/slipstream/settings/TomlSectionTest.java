package org.slipstream.settings;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The reader of files that no record declares, at its bounds.
class TomlSectionTest {
    private static TomlSection read(String text) {
        return TomlSection.of("a.toml", text, "at", TomlSection.Changes.NONE);
    }

    @Test
    void aFileIsReadUpToTheDepthThatSettingsMayHave() {
        String name = "a.".repeat(TomlNesting.MOST_DEPTH - 2) + "a";
        assertThat(read("[" + name + "]\nb = 1\n").section("a")).isPresent();
        assertThatThrownBy(() -> read("[a." + name + ".a.a]\nb = 1\n")).isInstanceOf(TomlMistake.class)
                .hasMessage("a.toml:1: nested deeper than 50; write tables with names");
        String lists = "a = " + "[".repeat(100_000) + "]".repeat(100_000);
        assertThatThrownBy(() -> read(lists)).hasMessageStartingWith("a.toml:1: nested deeper than 50");
    }

    @Test
    void aTimeIsAtMostAYear() {
        assertThat(read("t = \"366d\"").millis("t", 0)).isEqualTo(366L * 86_400_000);
        assertThatThrownBy(() -> read("t = \"367d\"").millis("t", 0))
                .hasMessage("a.toml:1: t = \"367d\" is not a time of"
                        + " at most a year; write a number with a unit, for example t = \"10s\"");
    }

    @Test
    void aCountHasBounds() {
        assertThat(read("n = 1000000000").count("n")).hasValue(1_000_000_000);
        assertThatThrownBy(() -> read("n = 1000000001").count("n"))
                .hasMessage(
                        "a.toml:1: n = 1000000001 is not a whole number from 1 to 1000000000; write for example n = 3");
        assertThatThrownBy(() -> read("n = 1000001").count("n", 0, 5)).hasMessageContaining("from 0 to 1000000");
    }

    @Test
    void aKeyThatNoReaderRequestedIsAMistake() {
        TomlSection section = read("one = 1\ntow = 2\n");
        assertThat(section.count("one", 0, 0)).isEqualTo(1);
        section.has("two");
        assertThatThrownBy(section::end).hasMessage("a.toml:2: unknown key \"tow\"; did you mean \"two\"?");
    }
}
