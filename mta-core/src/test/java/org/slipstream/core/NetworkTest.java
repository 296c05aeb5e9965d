package org.slipstream.core;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.31.0.1",
            "192.168.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::", "::1", "::ffff:10.0.0.1",
            "::10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "2001::1", "fd00::1", "fe80::1", "fec0::1", "ff02::1"})
    void theseAddressesAreNotPublic(String address) {
        assertThat(Network.isPublic(InetAddress.ofLiteral(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"9.255.255.255", "11.0.0.1", "100.128.0.1", "172.32.0.1", "192.0.2.1", "223.255.255.255",
            "2001:db8::1", "2606:4700::1111"})
    void othersArePublic(String address) {
        assertThat(Network.isPublic(InetAddress.ofLiteral(address))).isTrue();
    }
}
