package org.slipstream.core.dns;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;

import static org.assertj.core.api.Assertions.assertThat;

class ReverseNameTest {
    @Test
    void theNameOfAPointer() {
        assertThat(ReverseName.of(InetAddress.ofLiteral("192.0.2.25"))).isEqualTo("25.2.0.192.in-addr.arpa");
        assertThat(ReverseName.of(InetAddress.ofLiteral("2001:db8::25"))).hasSize(72).startsWith("5.2.0.0.")
                .endsWith(".1.0.0.2.ip6.arpa");
    }

    /// RFC 5782 sections 2.1 and 2.4.
    @ParameterizedTest
    @CsvSource({"192.0.2.99, 99.2.0.192",
            "2001:db8:1:2:3:4:567:89ab, b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2"})
    void theNameOfAClientOnAList(String address, String name) {
        assertThat(ReverseName.below(InetAddress.ofLiteral(address), "list.example")).isEqualTo(name + ".list.example");
    }
}
