package org.slipstream.auth.spf;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Address;

import java.net.InetAddress;
import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;

/// The tables of RFC 7208 section 7.4.
class SpfMacroTest {
    @ParameterizedTest
    @CsvSource({"%{s}, strong-bad@email.example.com", "%{o}, email.example.com", "%{d}, email.example.com",
            "%{d4}, email.example.com", "%{d3}, email.example.com", "%{d2}, example.com", "%{d1}, com",
            "%{dr}, com.example.email", "%{d2r}, example.email", "%{l}, strong-bad", "%{l-}, strong.bad",
            "%{lr}, strong-bad", "%{lr-}, bad.strong", "%{l1r-}, strong",
            "%{ir}.%{v}._spf.%{d2}, 3.2.0.192.in-addr._spf.example.com",
            "%{lr-}.lp._spf.%{d2}, bad.strong.lp._spf.example.com",
            "%{lr-}.lp.%{ir}.%{v}._spf.%{d2}, bad.strong.lp.3.2.0.192.in-addr._spf.example.com",
            "%{ir}.%{v}.%{l1r-}.lp._spf.%{d2}, 3.2.0.192.in-addr.strong.lp._spf.example.com",
            "%{d2}.trusted-domains.example.net, example.com.trusted-domains.example.net", "%{h}, mx.example.org",
            "%{p}, unknown", "%{S}, strong-bad%40email.example.com", "a%%b%_c%-d, a%b c%20d",
            "%{d999}, email.example.com",
            "%{d99999999999}, email.example.com"})
    void ofTheRfc(String spec, String expected) {
        assertThat(expanded("192.0.2.3", "email.example.com", spec)).isEqualTo(expected);
    }

    @Test
    void anIpv6AddressIsWrittenInHexadecimalDigits() {
        assertThat(expanded("2001:db8::cb01", "email.example.com", "%{ir}.%{v}._spf.%{d2}"))
                .isEqualToIgnoringCase(
                        "1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6._spf.example.com");
    }

    @Test
    void labelsOfALongNameAreDroppedFromTheLeft() {
        var expanded = expanded("192.0.2.3", ("a".repeat(49) + ".").repeat(4) + "example", "%{d}.%{d}");
        assertThat(expanded).hasSizeLessThanOrEqualTo(253).endsWith(".example").startsWith("example.aaaa");
        assertThat(expanded.length()).isGreaterThan(203);
    }

    private static String expanded(String address, String domain, String spec) {
        var question = SpfQuestion.ofSender(InetAddress.ofLiteral(address),
                Address.parse("strong-bad@email.example.com"), "mx.example.org", "mx.example.net", Instant.EPOCH);
        return new SpfMacro(question, domain, () -> "unknown")
                .name(MacroText.parse(spec, MacroText.EXPLANATION_LETTERS).orElseThrow());
    }
}
