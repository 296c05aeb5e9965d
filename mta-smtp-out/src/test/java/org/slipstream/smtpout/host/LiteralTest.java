package org.slipstream.smtpout.host;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;

import static org.assertj.core.api.Assertions.assertThat;

class LiteralTest {
    @Test
    void domainsInBrackets() {
        assertThat(Literal.domain("[192.0.2.1]")).contains(InetAddress.ofLiteral("192.0.2.1"));
        assertThat(Literal.domain("[IPv6:2001:db8::1]")).contains(InetAddress.ofLiteral("2001:db8::1"));
        assertThat(Literal.domain("[ipv6:::1]")).contains(InetAddress.ofLiteral("::1"));
    }

    @Test
    void textThatOnlyLooksLikeOne() {
        for (String domain : new String[]{"192.0.2.1", "[2001:db8::1]", "[IPv6:192.0.2.1]", "[mx.example]", "[]",
                "[192.0.2.256]", "[x400:abc]", "[192.0.2.1"}) {
            assertThat(Literal.domain(domain)).as(domain).isEmpty();
        }
    }
}
