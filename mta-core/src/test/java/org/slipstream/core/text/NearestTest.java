package org.slipstream.core.text;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class NearestTest {
    private static final List<String> KEYS = List.of("message-size", "header-size");

    @Test
    void theNearestWordIsFoundButNotAtAnyPrice() {
        assertThat(Nearest.to("mesage-size", KEYS)).hasValue("message-size");
        assertThat(Nearest.to("messageSize", KEYS)).hasValue("message-size");
        assertThat(Nearest.to("xyzzy", KEYS)).isEmpty();
        assertThat(Nearest.steps("listne", "listen")).isEqualTo(1);
    }

    @Test
    void theHintNamesTheNearestWordOrAll() {
        assertThat(Nearest.hint("mesage-size", KEYS)).isEqualTo("; did you mean \"message-size\"?");
        assertThat(Nearest.hint("xyzzy", KEYS)).isEqualTo("; there is header-size, message-size");
        assertThat(Nearest.hint("xyzzy", List.of())).isEmpty();
    }
}
