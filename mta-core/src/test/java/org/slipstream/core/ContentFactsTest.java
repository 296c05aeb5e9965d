package org.slipstream.core;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

final class ContentFactsTest {
    @Test
    void dotsOctetsAndLinesAreSeen() {
        assertThat(of("")).contains(ContentFacts.EMPTY);
        assertThat(of("a: b\r\n\r\n")).contains(new ContentFacts(false, false, 4, 2));
        assertThat(of("a.b\r\n.\r\n")).contains(new ContentFacts(true, false, 3, 2));
        assertThat(of(".\r\n")).contains(new ContentFacts(true, false, 1, 1));
        assertThat(of("caf\u00e9\r\n")).contains(new ContentFacts(false, true, 4, 1));
    }

    /// A sender relies on facts instead of scanning line ends, so a content that a remote host
    /// could end early has none.
    @ParameterizedTest
    @ValueSource(strings = {"a", "a\n", "a\r", "a\rb\r\n", "a\n.\r\n", "a\r\n.\nMAIL\r\n", "a\r\r\n", "a\r\nb"})
    void anotherLineEndThanCrLfHasNoFacts(String content) {
        assertThat(of(content)).isEmpty();
    }

    private static Optional<ContentFacts> of(String content) {
        return ContentFacts.of(content.getBytes(StandardCharsets.ISO_8859_1));
    }
}
