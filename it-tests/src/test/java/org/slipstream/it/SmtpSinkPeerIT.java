package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.fixture.Peer;
import org.slipstream.it.fixture.PeerSmtpSink;
import org.slipstream.it.fixture.RequiresPeers;
import org.slipstream.it.fixture.RunningServer;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/// Mail to `smtp-sink`, with and without PIPELINING.
@RequiresPeers
class SmtpSinkPeerIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final Map<House, Peer> PEERS = new EnumMap<>(House.class);
    private static RunningServer server;

    enum House {
        PIPELINING(), WITHOUT_PIPELINING("-p"), CLOSED_DOOR("-f", "RCPT");

        private final String[] flags;

        House(String... flags) {
            this.flags = flags;
        }

        String domain() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-') + ".example";
        }
    }

    @BeforeAll
    static void start() {
        var settings = Settings.quick().sendingLongLines();
        for (var house : House.values()) {
            var peer = BENCH.keep(Peer.start(new PeerSmtpSink(house.flags)));
            PEERS.put(house, peer);
            settings = settings.route("." + house.domain(), peer.route());
        }
        server = BENCH.server(settings);
    }

    private static PeerStories at(House house) {
        return new PeerStories(server, PEERS.get(house), house.domain());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CLOSED_DOOR")
    void everyShapeArrivesOnceAndUnchanged(House house) {
        at(house).everyShapeArrivesOnceAndUnchanged();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CLOSED_DOOR")
    void itGoesAwayInTheMiddleAndComesBack(House house) {
        at(house).itGoesAwayInTheMiddleAndComesBack();
    }

    /// With pipelining, content may be on its way before the first refusal is read.
    @Test
    void aServerThatRefusesEverybodyIsReported() {
        at(House.CLOSED_DOOR).aServerThatRefusesEverybodyIsReported();
    }
}
