package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.fixture.Peer;
import org.slipstream.it.fixture.PeerOpenSmtpd;
import org.slipstream.it.fixture.RequiresPeers;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.server.PackagedServer;

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
    private static final Map<Variant, Peer> PEERS = new EnumMap<>(Variant.class);
    private static PackagedServer server;

    enum Variant {
        IN_THE_CLEAR, BROKEN_TLS;

        String domain() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-') + ".example";
        }
    }

    @BeforeAll
    static void start() {
        var settings = Settings.quick().sendingLongLines();
        for (var variant : Variant.values()) {
            var peer = BENCH.keep(Peer.start(new PeerOpenSmtpd(variant == Variant.BROKEN_TLS)));
            PEERS.put(variant, peer);
            settings = settings.route("." + variant.domain(), peer.route() + " tls=may");
        }
        server = BENCH.server(settings);
    }

    private static PeerStories at(Variant variant) {
        return new PeerStories(server, PEERS.get(variant), variant.domain());
    }

    @ParameterizedTest
    @EnumSource
    void everyShapeArrivesOnceAndUnchanged(Variant variant) {
        at(variant).everyShapeArrivesOnceAndUnchanged();
        if (variant == Variant.BROKEN_TLS) {
            assertThat(PEERS.get(variant).log()).as("TLS was tried first").contains("SSL library error");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRefusedRecipientIsReportedAndTheOthersHaveTheirMail(Variant variant) {
        at(variant).aRefusedRecipientIsReportedAndTheOthersHaveTheirMail();
    }

    @ParameterizedTest
    @EnumSource
    void itGoesAwayInTheMiddleAndComesBack(Variant variant) {
        at(variant).itGoesAwayInTheMiddleAndComesBack();
    }
}
