package org.slipstream.core.dns;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;

import static org.assertj.core.api.Assertions.assertThat;

class DomainNameTest {
    @ParameterizedTest
    @CsvSource({"Example.ORG, example.org", "example.org., example.org", "bücher.example, xn--bcher-kva.example",
            "_dmarc.a_b.example, _dmarc.a_b.example", "a, a"})
    void theFormInDns(String name, String ascii) {
        assertThat(DomainName.ascii(name)).contains(ascii);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a..b", ".a", "a.."})
    void namesWithEmptyLabelsAreNone(String name) {
        assertThat(DomainName.ascii(name)).isEmpty();
    }

    @Test
    void longNamesAreNone() {
        assertThat(DomainName.ascii("a".repeat(63) + ".example")).isPresent();
        assertThat(DomainName.ascii("a".repeat(64) + ".example")).isEmpty();
        assertThat(DomainName.ascii("a.".repeat(126) + "b.")).isPresent();
        assertThat(DomainName.ascii("a.".repeat(127))).isPresent();
        assertThat(DomainName.ascii("a.".repeat(127) + "b")).isEmpty();
        assertThat(DomainName.ascii("ü".repeat(1_000_000))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"192.0.2.1, 192.0.2.1", "2001:db8:0:0:0:0:0:1, 2001:db8::1", "::, ::", "::1, ::1",
            "2001:0:0:1:0:0:0:1, 2001:0:0:1::1", "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
            "2001:db8::1:0:0:1, 2001:db8::1:0:0:1", "fe80::, fe80::"})
    void shortFormsOfAddresses(String given, String text) {
        assertThat(AddressText.of(InetAddress.ofLiteral(given))).isEqualTo(text);
    }
}
