package org.slipstream.config.postfix;

import org.junit.jupiter.api.Test;
import org.slipstream.config.postfix.ParameterExpansion.NoMeaning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ParameterExpansionTest {
    @Test
    void aValueThatDoublesWithEachNameEndsInASentence() {
        ParameterExpansion words = expansion("$x# $x#", 20, "word");
        assertThatThrownBy(() -> words.parameter("x0")).isInstanceOf(NoMeaning.class)
                .hasMessageContaining("more than 10000 other values");
        ParameterExpansion nothing = expansion("$x#$x#$x#$x#", 20, "");
        assertThatThrownBy(() -> nothing.parameter("x0")).isInstanceOf(NoMeaning.class);
        ParameterExpansion large = expansion("$x#$x#", 8, "x".repeat(100_000));
        assertThatThrownBy(() -> large.parameter("x0")).isInstanceOf(NoMeaning.class)
                .hasMessageContaining("characters");
    }

    @Test
    void aDeepChainEndsInASentenceAndAUsualOneDoesNot() throws NoMeaning {
        assertThatThrownBy(() -> expansion("$x#", 20_000, "").parameter("x0")).isInstanceOf(NoMeaning.class)
                .hasMessageContaining("inside each other");
        assertThatThrownBy(() -> expansion("", 0, "").text("${a:".repeat(20_000) + "}".repeat(20_000)))
                .isInstanceOf(NoMeaning.class);
        ParameterExpansion usual = expansion("$x# $x#", 8, "a");
        // Each value has its own bounds.
        for (int i = 0; i < 100; i++) {
            assertThat(usual.parameter("x0").split(" ")).hasSize(256);
        }
    }

    /// `x0` is the value with `x1` in place of `x#`, and so on.
    private static ParameterExpansion expansion(String value, int depth, String last) {
        return new ParameterExpansion(name -> {
            int number = name.startsWith("x") ? Integer.parseInt(name.substring(1)) : depth;
            return number < depth ? value.replace("#", String.valueOf(number + 1)) : last;
        });
    }
}
