package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.fixture.Peer;
import org.slipstream.it.fixture.PeerExim;
import org.slipstream.it.fixture.PeerOffer;
import org.slipstream.it.fixture.RequiresPeers;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.server.PackagedServer;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/// Mail to Exim with every combination of extensions. The log of Exim says of each message whether
/// it was pipelined (`L`) and came in chunks (`K`).
@RequiresPeers
class EximPeerIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final Map<Variant, Peer> PEERS = new EnumMap<>(Variant.class);
    private static PackagedServer server;

    /// The extensions that each peer announces, and the TLS policy of our route to it.
    enum Variant {

        /// Chunks in TLS.
        EVERYTHING(PeerOffer.everything(), "encrypt"),
        /// Chunks in the clear.
        IN_THE_CLEAR(PeerOffer.everything().inTheClear(),
                "none"),
        /// Commands in groups, content after DATA.
        WITHOUT_CHUNKING(PeerOffer.everything().withoutChunking(), "encrypt"),
        /// BDAT needs a pipeline: without PIPELINING, the content comes after DATA.
        WITHOUT_PIPELINING(
                PeerOffer.everything().withoutPipelining(),
                "may"),
        /// Without ESMTP extensions, as in 1995.
        BARE(PeerOffer.everything().inTheClear().withoutPipelining().withoutChunking(),
                "may"),
        /// As for submissions (RFC 8314).
        TLS_AT_ONCE(PeerOffer.everything().with(PeerOffer.Tls.AT_ONCE), "encrypt");

        private final PeerOffer offer;
        private final String tls;

        Variant(PeerOffer offer, String tls) {
            this.offer = offer;
            this.tls = tls;
        }

        String domain() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-') + ".example";
        }

        String route(Peer peer) {
            var scheme = offer.tls() == PeerOffer.Tls.AT_ONCE ? "smtps" : "smtp";
            return scheme + ":127.0.0.1:" + peer.port() + " tls=" + tls;
        }
    }

    @BeforeAll
    static void start() {
        var settings = Settings.quick().sendingLongLines();
        for (var variant : Variant.values()) {
            var peer = BENCH.keep(Peer.start(new PeerExim(variant.offer)));
            PEERS.put(variant, peer);
            settings = settings.route("." + variant.domain(), variant.route(peer));
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
        var accepted = accepted(PEERS.get(variant));
        assertThat(accepted).allSatisfy(line -> {
            assertThat(line.contains(" K ")).as("in chunks")
                    .isEqualTo(variant.offer.chunking() && variant.offer.pipelining());
            assertThat(line.contains(" L ")).as("pipelined").isEqualTo(variant.offer.pipelining());
            assertThat(line.contains(" X=TLS")).as("in TLS").isEqualTo(variant.offer.tls() != PeerOffer.Tls.NONE);
        });
    }

    @ParameterizedTest
    @EnumSource
    void threeRecipientsHaveThreeResults(Variant variant) {
        at(variant).threeRecipientsHaveThreeResults();
    }

    @ParameterizedTest
    @EnumSource(names = {"EVERYTHING", "WITHOUT_CHUNKING", "BARE"})
    void itGoesAwayInTheMiddleAndComesBack(Variant variant) {
        at(variant).itGoesAwayInTheMiddleAndComesBack();
    }

    private static List<String> accepted(Peer peer) {
        return peer.log().lines().filter(line -> line.contains(" <= ")).toList();
    }
}
