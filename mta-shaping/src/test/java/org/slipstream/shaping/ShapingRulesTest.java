package org.slipstream.shaping;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slipstream.core.ProviderTable;
import org.slipstream.settings.TomlMistake;
import org.slipstream.shaping.ShapingRule.RuleScope;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ShapingRulesTest {
    private static String rule(int number) {
        return "[[rules]]\nname = \"r" + number + "\"\ncode = \"421\"\nlanes = 2\n";
    }

    static List<ShapingRule> shipped() {
        return ShapingRules.shipped().rules();
    }

    /// A source tells whether a rule still holds. The reader compares the examples.
    @ParameterizedTest
    @MethodSource("shipped")
    void eachRuleOfTheProgramHasASourceAnExampleAndAProviderThatTheProgramKnows(ShapingRule rule) {
        assertThat(rule.source()).startsWith("http");
        assertThat(rule.replies()).as("a code alone says too little")
                .noneMatch(each -> each.words().isEmpty() && each.status().equals("*"));
        if (rule.from() instanceof RuleScope.Provider(String name)) {
            assertThat(ProviderTable.shipped().isKnown(name)).as(name).isTrue();
        }
        assertThat(ShapingRules.shippedText()).containsPattern(
                "name = \"" + rule.name() + "\"\nsource = \"http[^\"]*\"\nexample = \"[45]\\d\\d ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            name = "R"                                   | 2: rules 1: name = "R" is not a name
            code = "250"                                 | code = "250"
            code = "42"                                  | code = "42"
            status = "x"                                 | status = "x"
            lanes = 0                                    | lanes = 0 is not a whole number from 1 to 100000
            count = 101                                  | count = 101 is not a whole number from 1 to 100
            count = 0                                    | count = 0 is not a whole number from 1 to 100
            within = "25h"                               | within is a time from 1s to 1d
            within = "500ms"                             | within is a time from 1s to 1d
            for = "31d"                                  | for is a time from 1s to 30d
            suspend = "31d"                              | suspend is a time from 1s to 30d
            rate = "100"                                 | a rate is a number in a time, such as 100/1h
            provider = "Google!"                         | is not the name of a provider
            mx = "*"                                     | is not a name
            laenes = 3                                   | unknown key "laenes" in rules 1; did you mean "lanes"?
            example = "450 try later"                    | is no reply that the rule counts
            """)
    void aMistakeIsNamedWithItsPlace(String line, String sentence) {
        String usual = "name = \"far\"\ncode = \"421\"\nlanes = 2\n";
        String key = line.substring(0, line.indexOf(' '));
        String text = "[[rules]]\n" + line + "\n" + usual.lines().filter(each -> !each.startsWith(key + " "))
                .collect(Collectors.joining("\n"));
        assertThatExceptionOfType(TomlMistake.class).isThrownBy(() -> ShapingRules.read("my.toml", text))
                .withMessageStartingWith("my.toml:").withMessageContaining(sentence);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            name = 'a'; code = '421'                                    | has no effect
            name = 'a'; lanes = 2                                       | has no code
            code = '421'; lanes = 2                                     | has no name
            name = 'a'; code = '421'; lanes = 2; mx = 'a.example'; provider = 'google' | one of provider, mx
            """)
    void aRuleIsComplete(String lines, String sentence) {
        assertThatExceptionOfType(TomlMistake.class)
                .isThrownBy(() -> ShapingRules.read("my.toml", "[[rules]]\n" + lines.replace(';', '\n')))
                .withMessageContaining(sentence);
    }

    @Test
    void aSetHasAtMostFiveHundredRulesAndAQuarterOfAMegabyte() {
        String most = IntStream.range(0, 500).mapToObj(ShapingRulesTest::rule).collect(Collectors.joining());
        assertThat(ShapingRules.read("my.toml", most).rules()).hasSize(500);
        assertThatExceptionOfType(TomlMistake.class).isThrownBy(() -> ShapingRules.read("my.toml", most + rule(500)))
                .withMessageContaining("at most 500");
        assertThatExceptionOfType(TomlMistake.class)
                .isThrownBy(() -> ShapingRules.read("my.toml", rule(1) + "#".repeat(ShapingRules.MOST_CHARACTERS)))
                .withMessageContaining("at most 256 KiB");
        assertThatExceptionOfType(TomlMistake.class).isThrownBy(() -> ShapingRules.read("my.toml", rule(1) + rule(1)))
                .withMessageContaining("stands twice");
    }

    @Test
    void aRuleHasAtMostTwentyTextsOfTwoHundredCharacters() {
        String texts = IntStream.range(0, 20).mapToObj(i -> "\"t" + i + "\"").collect(Collectors.joining(","));
        assertThat(ShapingRules.read("my.toml", rule(1) + "text = [" + texts + "]").rules().getFirst().replies())
                .hasSize(20);
        assertThatExceptionOfType(TomlMistake.class)
                .isThrownBy(() -> ShapingRules.read("my.toml", rule(1) + "text = [" + texts + ",\"one\"]"))
                .withMessageContaining("at most 20");
        assertThatExceptionOfType(TomlMistake.class)
                .isThrownBy(() -> ShapingRules.read("my.toml", rule(1) + "text = \"" + "a".repeat(201) + "\""))
                .withMessageContaining("at most 200");
    }

    @Test
    void anOperatorsRuleReplacesTheOneOfTheProgramWithItsName() {
        ShapingRules own = ShapingRules.read("my.toml",
                "[[rules]]\nname = \"google-try-later\"\ncode = \"421\"\nlanes = 9\n" + rule(1));
        ShapingRules all = ShapingRules.shipped().with(own);
        assertThat(all.rules()).hasSize(ShapingRules.shipped().rules().size() + 1);
        assertThat(all.rules()).contains(own.rules().getFirst());
    }
}
