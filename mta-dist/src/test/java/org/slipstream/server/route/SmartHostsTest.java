package org.slipstream.server.route;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.config.RouteTable;
import org.slipstream.core.Route;
import org.slipstream.settings.SettingsSource;
import org.slipstream.smtpout.PeerOverride;
import org.slipstream.smtpout.PeerPolicy;
import org.slipstream.smtpout.Peers;
import org.slipstream.smtpout.auth.Credentials;
import org.slipstream.smtpout.dialog.TlsPolicy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// From mta.toml and a file of passwords to the requirements of the client at a provider's relay.
class SmartHostsTest {
    @TempDir
    private Path home;

    @Test
    void aRelayWithALoginAndCheckedTls() throws Exception {
        toml("""
                [routes]
                "*" = "smtp:Relay.Example:587 tls=verify"
                "old.example" = "smtp:192.0.2.7 tls=none"
                "plain.example" = "smtp:plain.example:26"
                "safe.example" = "smtps:safe.example"

                [smtp-client]
                source-address-v4 = "192.0.2.99"
                source-address-v6 = "2001:db8::99"

                [smarthost]
                credentials = "logins"
                """);
        logins("rw-------", "# our provider\nrelay.example:587 alice pass word\n\nsafe.example bob geheim\n");
        Peers peers = SmartHosts.peers(read());
        Credentials alice = new Credentials("alice", "pass word");
        assertThat(peers.byNextHop()).containsOnlyKeys("[relay.example]:587", "[192.0.2.7]:25",
                "[192.0.2.7]:25/encrypt", "[192.0.2.7]:25/verify", "[plain.example]:26", "[plain.example]:26/encrypt",
                "[plain.example]:26/verify", "[safe.example]:465", "[safe.example]:465/verify");
        assertThat(peers.byNextHop().get("[safe.example]:465/verify")).isEqualTo(
                new PeerPolicy(TlsPolicy.VERIFY, true, Optional.of(new Credentials("bob", "geheim")), false));
        assertThat(peers.byNextHop().get("[relay.example]:587"))
                .isEqualTo(new PeerPolicy(TlsPolicy.VERIFY, false, Optional.of(alice), false));
        assertThat(peers.byNextHop().get("[192.0.2.7]:25").tls()).isEqualTo(TlsPolicy.NONE);
        assertThat(peers.byNextHop().get("[plain.example]:26").tls()).isEqualTo(TlsPolicy.MAY);
        assertThat(peers.byNextHop().get("[plain.example]:26/verify").tls()).isEqualTo(TlsPolicy.VERIFY);
        assertThat(peers.byNextHop().get("[safe.example]:465")).isEqualTo(
                new PeerPolicy(TlsPolicy.ENCRYPT, true, Optional.of(new Credentials("bob", "geheim")), false));
        assertThat(peers.sources().v4()).contains((java.net.Inet4Address) InetAddress.ofLiteral("192.0.2.99"));
        assertThat(peers.sources().v6()).isPresent();
    }

    @Test
    void aClauseOfADestinationReplacesTlsAndSourceAddress() throws Exception {
        toml("""
                [routes]
                "*" = "smtp:relay.example:587 tls=may"

                [smtp-client]
                source-address-v4 = "192.0.2.99"

                [destination."smtp:relay.example:587"]
                tls = "verify"
                source-address-v4 = "192.0.2.1"
                """);
        Peers peers = SmartHosts.peers(read());
        Route relay = RouteTable.fixed(new Route.Host("relay.example", 587, 0));
        assertThat(peers.overrides().apply(relay).tls()).contains(TlsPolicy.VERIFY);
        assertThat(peers.overrides().apply(relay).sources().v4())
                .contains((java.net.Inet4Address) InetAddress.ofLiteral("192.0.2.1"));
        Route other = RouteTable.fixed(new Route.Host("other.example", 587, 0));
        assertThat(peers.overrides().apply(other)).isEqualTo(PeerOverride.NONE);
    }

    @Test
    void passwordsThatOthersCanReadAreRefused() throws Exception {
        toml("[smarthost]\ncredentials = \"logins\"\n[routes]\n\"*\" = \"smtp:relay.example\"\n");
        for (String permissions : List.of("rw-r-----", "rw----r--", "rw-rw----")) {
            logins(permissions, "relay.example alice x\n");
            assertThatThrownBy(() -> SmartHosts.peers(read())).isInstanceOf(SmartHosts.Unusable.class)
                    .hasMessageContaining("run \"chmod 600 ").hasMessageNotContaining("alice");
        }
    }

    @Test
    void mistakesInTheFileAreNamedByLineAndNotByPassword() throws Exception {
        toml("[smarthost]\ncredentials = \"logins\"\n[routes]\n\"*\" = \"smtp:relay.example\"\n");
        refused("relay.example alice\n", "Line 1 of ", "host user password");
        refused("\nrelay.example a x\nRELAY.example b y\n", "Line 3 of ", "second login");
        refused("relay.exmaple alice s3cret\n", "login for relay.exmaple", "for no host of [routes]");
        Files.delete(home.resolve("logins"));
        assertThatThrownBy(() -> SmartHosts.peers(read())).hasMessageContaining("cannot be read");
    }

    @Test
    void routesThatContradictEachOtherAreRefused() throws IOException {
        toml("[routes]\n\"a.example\" = \"smtp:relay.example tls=verify\"\n\"b.example\" = \"smtp:relay.example\"\n");
        assertThat(problems()).contains("another route wants other TLS of relay.example:25");
        toml("[routes]\n\"a.example\" = \"smtps:relay.example tls=may\"\n");
        assertThat(problems()).contains("a route: \"mx\"");
        toml("[routes]\n\"a.example\" = \"smtp:relay.example tls=always\"\n");
        assertThat(problems()).contains("a route: \"mx\"");
        toml("[smtp-client]\nsource-address-v4 = \"2001:db8::1\"\n");
        assertThat(problems()).contains("source-address-v4");
    }

    @Test
    void weAreWhereDnsSaysThatWeListen() throws Exception {
        InetAddress one = InetAddress.ofLiteral("192.0.2.1");
        assertThat(new OwnAddresses(Optional.of(new InetSocketAddress(one, 25))).contains(one)).isTrue();
        assertThat(new OwnAddresses(Optional.of(new InetSocketAddress(one, 2525))).contains(one)).isFalse();
        OwnAddresses everywhere = new OwnAddresses(Optional.of(new InetSocketAddress(25)));
        assertThat(everywhere.contains(InetAddress.ofLiteral("127.0.0.1"))).isTrue();
        assertThat(everywhere.contains(one)).isFalse();
        assertThat(new OwnAddresses(Optional.empty()).contains(one)).isFalse();
    }

    private void refused(String text, String... words) throws IOException {
        logins("rw-------", text);
        assertThatThrownBy(() -> SmartHosts.peers(read())).hasMessageContainingAll(words)
                .hasMessageNotContaining("s3cret");
    }

    private void toml(String text) throws IOException {
        Files.writeString(home.resolve("mta.toml"), text);
    }

    private void logins(String permissions, String text) throws IOException {
        Path file = home.resolve("logins");
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private Config read() {
        return ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), List.of())).config();
    }

    private String problems() {
        return ConfigReader.read(SettingsSource.in(home), List.of()).toString();
    }
}
