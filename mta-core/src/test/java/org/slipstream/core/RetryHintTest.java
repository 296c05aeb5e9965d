package org.slipstream.core;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.queue.RetryHint;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;

/// Times in the texts of refusals.
@Tag("ZM-33")
class RetryHintTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            too many connections, try again in 5 minutes          | 300
            Please retry after 300 seconds                        | 300
            busy, retry in 300s                                   | 300
            Try Again In about 1 Hour.                            | 3600
            retry in at least 2 min                               | 120
            retry after 300                                       | 300
            retry after 300.                                      | 300
            please try again in 00:05:00                          | 300
            try again in 1:02:03, thank you                       | 3723
            try again after 1 day                                 | 86400
            try again in 90 days                                  | 86400
            try again in 999999999 hours                          | 86400
            try again in 99:59:59                                 | 86400
            retry in 10 s, or else try again in 2 hours           | 10
            try again in 0 seconds                                | 0
            """)
    void aTimeThatIsNamed(String text, long seconds) {
        assertThat(RetryHint.millis(Reply.of(421, "4.7.0", text))).hasValue(1000 * seconds);
        assertThat(RetryHint.millis(Reply.of(450, text))).hasValue(1000 * seconds);
    }

    @ParameterizedTest
    @ValueSource(strings = {"try again later", "try again in a few minutes", "retry after 2026-11-22 10:00",
            "retry after 22.11.2026", "retry in 10:30", "retry in 1:2:3", "retry in -5 minutes", "entry in 5 minutes",
            "4.7.0 300 seconds", "retry in 99999999999 seconds", ""})
    void aTimeThatIsNone(String text) {
        assertThat(RetryHint.millis(Reply.of(421, text))).isEmpty();
    }

    @Test
    void aTextOverTwoLinesIsOneText() {
        assertThat(
                RetryHint.millis(new Reply(421, Optional.empty(), List.of("we are busy, try again", "in 5 minutes"))))
                .hasValue(300_000);
    }

    @Test
    void onlyADeferralNamesATimeToComeBack() {
        assertThat(RetryHint.millis(Reply.of(554, "retry in 5 minutes"))).isEqualTo(OptionalLong.empty());
        assertThat(RetryHint.millis(Reply.of(250, "retry in 5 minutes"))).isEmpty();
    }
}
