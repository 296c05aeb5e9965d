package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.fixture.Peer;
import org.slipstream.it.fixture.PeerSmtpSink;
import org.slipstream.it.fixture.RequiresPeers;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.server.PackagedServer;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/// Mail to `smtp-sink`, with and without PIPELINING.
@RequiresPeers
class SmtpSinkPeerIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final Map<Variant, Peer> PEERS = new EnumMap<>(Variant.class);
    private static PackagedServer server;

    enum Variant {
        PIPELINING(), WITHOUT_PIPELINING("-p"), REFUSING("-f", "RCPT");

        private final String[] flags;

        Variant(String... flags) {
            this.flags = flags;
        }

        String domain() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-') + ".example";
        }
    }

    @BeforeAll
    static void start() {
        var settings = Settings.quick().sendingLongLines();
        for (var variant : Variant.values()) {
            var peer = BENCH.keep(Peer.start(new PeerSmtpSink(variant.flags)));
            PEERS.put(variant, peer);
            settings = settings.route("." + variant.domain(), peer.route());
        }
        server = BENCH.server(settings);
    }

    private static PeerStories at(Variant variant) {
        return new PeerStories(server, PEERS.get(variant), variant.domain());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REFUSING")
    void everyShapeArrivesOnceAndUnchanged(Variant variant) {
        at(variant).everyShapeArrivesOnceAndUnchanged();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REFUSING")
    void itGoesAwayInTheMiddleAndComesBack(Variant variant) {
        at(variant).itGoesAwayInTheMiddleAndComesBack();
    }

    /// With pipelining, content may be on its way before the first refusal is read.
    @Test
    void aServerThatRefusesEverybodyIsReported() {
        at(Variant.REFUSING).aServerThatRefusesEverybodyIsReported();
    }
}
