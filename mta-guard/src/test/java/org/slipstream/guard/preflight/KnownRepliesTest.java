package org.slipstream.guard.preflight;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/// Replies as the providers send them.
class KnownRepliesTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "550 5.7.515 Access denied, sending domain example.org does not meet the level|Outlook.com",
            "550-5.7.26 Your email has been blocked because the sender is unauthenticated. gsmtp|Gmail",
            "421-4.7.28 Gmail has detected an unusual rate of mail - gsmtp|Gmail",
            "421 4.7.0 Try again later, closing connection. - gsmtp|Gmail",
            "550 5.7.1 Unfortunately, messages from [192.0.2.1] were not sent. (S3150)|Outlook.com",
            "451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited (S775)|Outlook.com",
            "550 5.7.511 Access denied, banned sender[192.0.2.1]|Microsoft 365",
            "421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred|Yahoo",
            "554 5.7.9 Message not accepted for policy reasons|Yahoo"})
    void aReplyIsExplained(String reply, String provider) {
        assertThat(KnownReplies.of(reply).orElseThrow().provider()).isEqualTo(provider);
    }

    @ParameterizedTest
    @CsvSource({"550 5.1.1 no such user", "421 4.7.0 try later", "''", "550 15.7.26", "550 5.7.260 x"})
    void anyOtherReplyIsNot(String reply) {
        assertThat(KnownReplies.of(reply)).isEmpty();
    }

    @Test
    void eachRowIsComplete() {
        assertThat(KnownReplies.rows()).hasSizeBetween(20, 60).allSatisfy(row -> {
            assertThat(row.words()).isNotEmpty().noneMatch(String::isBlank);
            assertThat(row.text()).contains(": ", ". To do: ");
            assertThat(KnownReplies.of("550 " + String.join(" ", row.words())).orElseThrow()).isEqualTo(row);
        });
        assertThat(KnownReplies.of("5".repeat(10_000_000))).isEmpty();
    }
}
