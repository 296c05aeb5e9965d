package org.slipstream.core;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;

import static org.assertj.core.api.Assertions.assertThat;

class NetworkTest {
    @ParameterizedTest
    @CsvSource({"192.0.2.0/24, 192.0.2.255, true", "192.0.2.0/24, 192.0.3.0, false",
            "10.16.0.0/12, 10.31.255.255, true",
            "10.16.0.0/12, 10.32.0.0, false", "192.0.2.1, 192.0.2.1, true", "192.0.2.1, 192.0.2.0, false",
            "192.0.2.129/31, 192.0.2.128, true", "192.0.2.129/31, 192.0.2.130, false", "0.0.0.0/0, 203.0.113.9, true",
            "2001:db8::/33, 2001:db8:7fff::1, true", "2001:db8::/33, 2001:db8:8000::1, false",
            "::/0, 2001:db8::1, true",
            "0.0.0.0/0, 2001:db8::1, false", "::/0, 192.0.2.1, false", "2001:db8::1, 2001:db8::1, true"})
    void aBlockHoldsTheAddressesThatShareItsFirstBits(String block, String address, boolean inside) {
        assertThat(Network.parse(block).orElseThrow().contains(InetAddress.ofLiteral(address))).isEqualTo(inside);
    }
}
