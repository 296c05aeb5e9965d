package org.slipstream.core.queue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The texts of limits that operators set.
class LimitOrderTest {
    private static LimitOrder limit(String key, String value) {
        return LimitOrder.parse(key, value, "a test", "ann", 1, 2);
    }

    @ParameterizedTest
    @CsvSource({"server, 20, server", "transport:smtp, 1, transport:smtp", "ring:bulk, 100000, ring:bulk",
            "window:Far.Example, 5, window:far.example", "rate:far.example, 100/1h, rate:far.example",
            "rate:far.example, 1/366d, rate:far.example",
            "host:[192.0.2.1]:25/may, 3, host:[192.0.2.1]:25/may"})
    void aLimitIsReadFromItsRecord(String key, String value, String name) {
        LimitOrder order = limit(key, value);
        assertThat(order.name()).isEqualTo(name);
        assertThat(order.value()).isEqualTo(value);
        assertThat(StandingOrder.of(order.kind(), order.name(), order.value(), order.why(), order.author(), 1, 2))
                .contains(order);
    }

    @ParameterizedTest
    @CsvSource({"windows:x, 5, the limits are", "window, 5, the limits are", "server:x, 5, the limits are",
            "window:, 5, the limits are", "window:x, 0, from 1 to 100000", "window:x, 100001, from 1 to 100000",
            "window:x, many, a limit is a number", "window:x, 5/1h, a limit is a number",
            "rate:x, 5, 'a number in a time, such as 100/1h'", "rate:x, 5/soon, 'a number in a time, such as 100/1h'",
            "rate:x, 5/0s, 'a number in a time, such as 100/1h'", "rate:x, 999999999999/1h, a limit is a number",
            "rate:x, 1/367d, at most 366d"})
    void aWrongLimitIsRefusedWithASentence(String key, String value, String sentence) {
        assertThatThrownBy(() -> limit(key, value)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(sentence);
    }
}
