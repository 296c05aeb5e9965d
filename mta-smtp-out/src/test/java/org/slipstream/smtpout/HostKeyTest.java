package org.slipstream.smtpout;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.HostKey;
import org.slipstream.core.Route;
import org.slipstream.core.SettingsRecords;
import org.slipstream.smtpout.auth.Credentials;
import org.slipstream.smtpout.dialog.TlsPolicy;
import org.slipstream.smtpout.wire.Sources;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// Hosts that share connections: one address, one port, one identity of this client.
@Tag("FI-50")
class HostKeyTest {
    private static final Peers PEERS = new Peers(Map.of(
            "checked.example", new PeerPolicy(TlsPolicy.VERIFY, false, Optional.empty(), false),
            "encrypted.example", new PeerPolicy(TlsPolicy.ENCRYPT, false, Optional.empty(), false),
            "implicit.example", new PeerPolicy(TlsPolicy.ENCRYPT, true, Optional.empty(), false),
            "ours.example", new PeerPolicy(TlsPolicy.MAY, false, Optional.of(new Credentials("ann", "x")), false),
            "theirs.example", new PeerPolicy(TlsPolicy.MAY, false, Optional.of(new Credentials("bob", "x")), false)),
            Sources.ANY, 250, Optional.empty());
    private static final ClientConfig CONFIG = Post.patient().withPeers(PEERS);

    @Test
    void hostsOfOneAddressAreOneWhateverTheirNames() {
        assertThat(key("a.example", "mx.a.example", 25, "192.0.2.1"))
                .isEqualTo(key("b.example", "mail.b.example", 25, "192.0.2.1"))
                .hasToString("[192.0.2.1]:25/may");
        assertThat(key("a.example", "mx", 25, "2001:db8::1", "192.0.2.1")).as("IPv4 comes first")
                .isEqualTo(key("a.example", "mx", 25, "192.0.2.1", "2001:db8::1"))
                .isEqualTo(key("b.example", "mx", 25, "192.0.2.1"));
    }

    @Test
    void anotherAddressOrPortIsAnotherHost() {
        HostKey one = key("a.example", "mx", 25, "192.0.2.1");
        assertThat(one).isNotEqualTo(key("a.example", "mx", 25, "192.0.2.2"));
        assertThat(one).isNotEqualTo(key("a.example", "mx", 587, "192.0.2.1"));
    }

    @Test
    void eachClassOfTlsHasConnectionsOfItsOwn() {
        assertThat(List.of("a.example", "checked.example", "encrypted.example", "implicit.example"))
                .extracting(nextHop -> key(nextHop, "mx", 25, "192.0.2.1")).doesNotHaveDuplicates();
        ClientConfig without = ClientConfig.of("me.example",
                SettingsRecords.with(ClientSettings.defaults(), "startTls", false));
        Route.Smtp route = route("a.example", "mx", 25, "192.0.2.1");
        assertThat(without.hostKey(route, route.hosts().getFirst())).hasToString("[192.0.2.1]:25/none");
    }

    @Test
    void eachLoginAndEachSourceAddressHasConnectionsOfItsOwn() {
        assertThat(List.of("a.example", "ours.example", "theirs.example"))
                .extracting(nextHop -> key(nextHop, "mx", 25, "192.0.2.1")).doesNotHaveDuplicates();
        Sources source = new Sources(Optional.of((Inet4Address) InetAddress.ofLiteral("192.0.2.9")), Optional.empty());
        ClientConfig from = Post.patient().withPeers(new Peers(Map.of(), source, 250, Optional.empty()));
        Route.Smtp route = route("a.example", "mx", 25, "192.0.2.1");
        assertThat(from.hostKey(route, route.hosts().getFirst()))
                .isNotEqualTo(key("a.example", "mx", 25, "192.0.2.1"));
    }

    @Test
    void whatADestinationChangesSeparatesItsConnections() {
        Sources source = new Sources(Optional.of((Inet4Address) InetAddress.ofLiteral("192.0.2.9")), Optional.empty());
        ClientConfig config = Post.patient().withPeers(PEERS.withOverrides(route -> switch (route.nextHop()) {
            case "strict.example" -> new PeerOverride(Optional.of(TlsPolicy.ENCRYPT), Sources.ANY);
            case "from.example" -> new PeerOverride(Optional.empty(), source);
            case "implicit.example" -> new PeerOverride(Optional.of(TlsPolicy.NONE), Sources.ANY);
            default -> PeerOverride.NONE;
        }));
        assertThat(List.of("a.example", "strict.example", "from.example")).extracting(nextHop -> {
            Route.Smtp route = route(nextHop, "mx", 25, "192.0.2.1");
            return config.hostKey(route, route.hosts().getFirst());
        }).doesNotHaveDuplicates();
        assertThat(config.policy(route("implicit.example", "mx", 465, "192.0.2.1")).tls())
                .as("a host that speaks only TLS").isEqualTo(TlsPolicy.ENCRYPT);
    }

    private static HostKey key(String nextHop, String name, int port, String... addresses) {
        Route.Smtp route = route(nextHop, name, port, addresses);
        return CONFIG.hostKey(route, route.hosts().getFirst());
    }

    private static Route.Smtp route(String nextHop, String name, int port, String... addresses) {
        return new Route.Smtp(nextHop, List.of(new Route.Host(name, port, 0, List.of(addresses))));
    }
}
