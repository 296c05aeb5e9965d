package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.fixture.Peer;
import org.slipstream.it.fixture.PeerOffer;
import org.slipstream.it.fixture.PeerPostfix;
import org.slipstream.it.fixture.RequiresPeers;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.server.PackagedServer;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Mail to Postfix with every combination of extensions.
@RequiresPeers
class PostfixPeerIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final Map<Variant, Peer> PEERS = new EnumMap<>(Variant.class);
    private static PackagedServer server;

    /// The extensions that each peer announces, the TLS policy of our route to it, and the word in
    /// its log that shows how content came.
    enum Variant {

        /// Chunks in TLS.
        EVERYTHING(PeerOffer.everything(), "encrypt", "bdat="),
        /// Chunks in the clear.
        IN_THE_CLEAR(PeerOffer.everything().inTheClear(),
                "none",
                "bdat="),
        /// Commands in groups, content after DATA.
        WITHOUT_CHUNKING(PeerOffer.everything().withoutChunking(), "encrypt",
                "data="),
        /// BDAT needs a pipeline: without PIPELINING, the content comes after DATA.
        WITHOUT_PIPELINING(PeerOffer.everything().withoutPipelining(), "may",
                "data="),
        /// Without ESMTP extensions, as in 1995.
        BARE(
                PeerOffer.everything().inTheClear().withoutPipelining().withoutChunking(),
                "may",
                "data="),
        /// As for submissions (RFC 8314).
        TLS_AT_ONCE(PeerOffer.everything().with(PeerOffer.Tls.AT_ONCE),
                "encrypt", "bdat=");

        private final PeerOffer offer;
        private final String tls;
        private final String content;

        Variant(PeerOffer offer, String tls, String content) {
            this.offer = offer;
            this.tls = tls;
            this.content = content;
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
            var peer = BENCH.keep(Peer.start(new PeerPostfix(variant.offer)));
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
        var log = PEERS.get(variant);
        eventually().untilAsserted(() -> assertThat(log.log()).as("commands used").contains(variant.content));
        if (variant.offer.tls() == PeerOffer.Tls.NONE) {
            assertThat(log.log()).doesNotContain("TLS connection established");
        } else {
            assertThat(log.log()).contains("TLS connection established");
        }
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
}
