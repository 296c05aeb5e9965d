package org.slipstream.core;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

class AddressPatternTest {
    @ParameterizedTest
    @CsvSource({"news@example.org,news@Example.ORG", "*@example.org,ann@example.org", "*@*,a@b",
            "n*s@*.example.org,news@a.b.example.org", "*news*@*,daily-news@x", "*@ex*.org,a@example.org",
            "a*a*b@x,aaab@x", "*@[192.0.2.1],a@[192.0.2.1]", "'\"ann *\"@x','\"ann lee\"@x'", "a.*@x,a.b.c@x"})
    void aStarMatchesAnyText(String pattern, String address) {
        assertThat(AddressPattern.parse(pattern).orElseThrow().matches(Address.of(address))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"news@example.org,News@example.org", "*@example.org,a@example.org.example", "n*s@x,news.a@x",
            "*@*.example.org,a@example.org", "a*b@x,ab.c@x", "a@x,aa@x", "*a@x,b@x"})
    void theRestDoesNot(String pattern, String address) {
        assertThat(AddressPattern.parse(pattern).orElseThrow().matches(Address.of(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "*", "news", "@", "@x", "a@", "<a@x>", "a b@x", "a@b c", "a@*..x", ".a@x", "\"a@x",
            "a@x\n",
            "a@-*"})
    void textThatCanBeNoAddressIsNoPattern(String text) {
        assertThat(AddressPattern.parse(text)).isEmpty();
    }

    @Test
    void theNullSenderHasAPattern() {
        assertThat(AddressPattern.parse("<>")).contains(AddressPattern.NULL);
        assertThat(AddressPattern.NULL.isNull()).isTrue();
        assertThat(AddressPattern.NULL.matches(Address.of("a@b"))).isFalse();
        assertThat(AddressPattern.NULL).hasToString("<>");
    }

    @Test
    void manyStarsCostNothingMuch() {
        var pattern = new AddressPattern("*a".repeat(500) + "b", "x");
        var address = new Address("a".repeat(5_000), "x");
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> assertThat(pattern.matches(address)).isFalse());
    }
}
