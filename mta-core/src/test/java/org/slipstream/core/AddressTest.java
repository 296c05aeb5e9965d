package org.slipstream.core;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class AddressTest {
    @ParameterizedTest
    @ValueSource(strings = {"john@example.org", "a.b+tag@example.org", "o'brien@x.example", "x@[192.0.2.1]",
            "x@[IPv6:2001:db8::1]", "grün@bücher.example", "root@localhost", "\"john doe\"@example.org",
            "\"a@b\"@example.org", "\"\\\"\"@example.org"})
    void parsedTextIsWrittenTheSame(String text) {
        assertThat(Address.parse(text)).hasValueSatisfying(address -> assertThat(address).hasToString(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "@", "a@", "@b", "nobody", ".a@b.example", "a.@b.example", "a..b@c.example",
            "a b@c.example", "a@b..example", "a@-b.example", "a@b-.example", "a@b c", "\"open@b.example",
            "\"\"@b.example",
            "a@[", "a@[]", "a@[1 2]", "a<b@c.example", "\"a\"b\"@c.example", "\"a\\\"@c.example", "a@b.example\r"})
    void textThatIsNoAddressIsRefused(String text) {
        assertThat(Address.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"\"john\"@example.org,john@example.org", "\"jo\\hn\"@example.org,john@example.org"})
    void needlessQuotesAreTakenOff(String given, String written) {
        assertThat(Address.of(given)).hasToString(written);
    }

    @ParameterizedTest
    @Tag("PF-12")
    @CsvSource({"Bob@x.example, +, bob@mx.example", "bob+lists@x.example, +, bob@mx.example",
            "bob+a+b@x.example, +, bob@mx.example", "bob+lists@x.example, , bob+lists@mx.example",
            "bob-lists@x.example, +, bob-lists@mx.example", "bob-lists@x.example, -, bob@mx.example",
            "+lists@x.example, +, +lists@mx.example", "MAILER-DAEMON@x.example, -, mailer-daemon@mx.example",
            "double-bounce@x.example, -, double-bounce@mx.example"})
    void aMailboxBehindANextHopHasOneKeyInEachCaseAndWithEachExtension(String address, String delimiter, String key) {
        assertThat(Address.of(address).mailboxKey(Optional.ofNullable(delimiter), "MX.example")).isEqualTo(key);
    }

    @Test
    void theDomainComparesWithoutCaseAndTheLocalPartWithIt() {
        assertThat(Address.of("John@Example.ORG").key()).isEqualTo("John@example.org");
        assertThat(Address.of("John@Example.ORG")).hasToString("John@Example.ORG");
    }

    @Test
    void aDomainOfMoreThan255OrALabelOfMoreThan63IsRefused() {
        assertThat(Address.isDomain("a".repeat(63) + ".example")).isTrue();
        assertThat(Address.isDomain("a".repeat(64) + ".example")).isFalse();
        assertThat(Address.isDomain("abcdefg.".repeat(32) + "a")).isFalse();
    }

    @Test
    void aControlCharacterNeverGetsIn() {
        assertThatThrownBy(() -> new Address("a\nb", "c.example")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void nonAsciiOnEitherSideNeedsSmtpUtf8() {
        assertThat(Address.of("grün@example.org").isInternational()).isTrue();
        assertThat(Address.of("a@bücher.example").isInternational()).isTrue();
        assertThat(Address.of("a@example.org").isInternational()).isFalse();
    }
}
