package org.slipstream.it;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.fixture.MailAccount;
import org.slipstream.it.fixture.Peer;
import org.slipstream.it.fixture.PeerMail;
import org.slipstream.it.fixture.PeerOffer;
import org.slipstream.it.fixture.PeerPostfix;
import org.slipstream.it.fixture.RequiresPeers;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.time.Duration;
import java.util.Locale;

import static org.assertj.core.api.Assertions.assertThat;

/// A real Postfix that serves five connections of one client (`anvil`) and refuses more with 421,
/// and the variants of our concurrency feedback against it.
///
/// The simulation of the scheduler has the table in theory; this is the same with sockets. Refused
/// connections cost no mail, and `placement.crowded` makes them few whatever the feedback.
@RequiresPeers
class PostfixLimiterIT {
    private static final int LIMIT = 5;
    private static final int MESSAGES = 200;
    private static final String REFUSED = "Connection concurrency limit exceeded";
    @RegisterExtension
    final Workbench bench = new Workbench();

    @ParameterizedTest
    @ValueSource(strings = {"60s", "0s"})
    void nothingIsLostAndFewConnectionsAreRefused(String crowded) {
        assertThat(refused("1/concurrency", crowded)).as("refused connections").isLessThan(MESSAGES / 2);
    }

    /// With another feedback the number of refused connections depends on the load of the machine; it is
    /// printed for comparison.
    @ParameterizedTest
    @ValueSource(strings = {"1/sqrt_concurrency", "1"})
    void nothingIsLostWithAnotherFeedback(String feedback) {
        refused(feedback, "0s");
    }

    /// @return refused connections, after each message has arrived once
    private long refused(String feedback, String crowded) {
        var peer = bench.keep(Peer.start(new PeerPostfix(PeerOffer.everything().inTheClear(), LIMIT)));
        var server = bench.server(Settings.quick().route(Settings.FAR_DOMAIN, peer.route())
                .set("queue.lanes-per-destination", "20").set("concurrency.positive-feedback", feedback)
                .set("concurrency.negative-feedback", feedback).set("placement.crowded", crowded)
                .set("queue.idle-connection", "0s").set("placement.most-connection-depth", "1"));
        var account = MailAccount.of("limiter" + Integer.toHexString((feedback + crowded).hashCode()))
                .with(() -> peer.mail().stream().map(PeerMail::recipient));
        long begin = System.nanoTime();
        sendAll(account, server);
        account.settles(server, 0);
        var took = Duration.ofNanos(System.nanoTime() - begin);
        long refused = count(peer, REFUSED);
        long tried = count(peer, ": connect from");
        System.out.printf(Locale.ROOT, "limiter %s crowded=%s: tried %d, refused %d (%.1f %%), %.0f messages/s%n",
                feedback, crowded, tried, refused, 100.0 * refused / tried, MESSAGES * 1e9 / took.toNanos());
        return refused;
    }

    private static void sendAll(MailAccount account, PackagedServer server) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            for (int i = 0; i < MESSAGES; i++) {
                assertThat(account.offer(talk, account.message(Settings.FAR_DOMAIN, 1, 1)).code()).isEqualTo(250);
            }
        }
    }

    private static long count(Peer peer, String text) {
        return peer.log().lines().filter(line -> line.contains(text)).count();
    }
}
