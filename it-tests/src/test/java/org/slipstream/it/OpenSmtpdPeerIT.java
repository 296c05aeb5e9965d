package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.fixture.Peer;
import org.slipstream.it.fixture.PeerOpenSmtpd;
import org.slipstream.it.fixture.RequiresPeers;
import org.slipstream.it.fixture.RunningServer;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/// Mail to OpenSMTPD: a server that announces few extensions, and one whose TLS is broken, so that
/// mail goes without encryption where the route allows it (RFC 7435).
@RequiresPeers
class OpenSmtpdPeerIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final Map<House, Peer> PEERS = new EnumMap<>(House.class);
    private static RunningServer server;

    enum House {
        IN_THE_CLEAR, BROKEN_TLS;

        String domain() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-') + ".example";
        }
    }

    @BeforeAll
    static void start() {
        var settings = Settings.quick().sendingLongLines();
        for (var house : House.values()) {
            var peer = BENCH.keep(Peer.start(new PeerOpenSmtpd(house == House.BROKEN_TLS)));
            PEERS.put(house, peer);
            settings = settings.route("." + house.domain(), peer.route() + " tls=may");
        }
        server = BENCH.server(settings);
    }

    private static PeerStories at(House house) {
        return new PeerStories(server, PEERS.get(house), house.domain());
    }

    @ParameterizedTest
    @EnumSource
    void everyShapeArrivesOnceAndUnchanged(House house) {
        at(house).everyShapeArrivesOnceAndUnchanged();
        if (house == House.BROKEN_TLS) {
            assertThat(PEERS.get(house).log()).as("TLS was tried first").contains("SSL library error");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRefusedRecipientIsReportedAndTheOthersHaveTheirMail(House house) {
        at(house).aRefusedRecipientIsReportedAndTheOthersHaveTheirMail();
    }

    @ParameterizedTest
    @EnumSource
    void itGoesAwayInTheMiddleAndComesBack(House house) {
        at(house).itGoesAwayInTheMiddleAndComesBack();
    }
}
