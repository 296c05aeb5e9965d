package org.slipstream.server.policy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;

import static org.assertj.core.api.Assertions.assertThat;

/// RFC 5782 sections 2.1 and 2.4.
class BlockListsTest {
    @ParameterizedTest
    @CsvSource({"192.0.2.99, 99.2.0.192",
            "2001:db8:1:2:3:4:567:89ab, b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2"})
    void theNameOfAClient(String address, String name) {
        assertThat(BlockLists.reversed(InetAddress.ofLiteral(address))).contains(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "10.0.0.1", "192.168.7.7", "169.254.1.1"})
    void noListKnowsPrivateAddresses(String address) {
        assertThat(BlockLists.reversed(InetAddress.ofLiteral(address))).isEmpty();
    }
}
