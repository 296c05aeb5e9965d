package org.slipstream.guard.policy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;

import static org.assertj.core.api.Assertions.assertThat;

/// The addresses of which lists know something.
class BlockListsTest {
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "10.0.0.1", "192.168.7.7", "169.254.1.1"})
    void noListKnowsPrivateAddresses(String address) {
        assertThat(BlockLists.mayBeListed(InetAddress.ofLiteral(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.99", "2001:db8::1"})
    void addressesOfTheInternetMayBeListed(String address) {
        assertThat(BlockLists.mayBeListed(InetAddress.ofLiteral(address))).isTrue();
    }
}
