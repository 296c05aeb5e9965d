package org.slipstream.it;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.fixture.LostIndex;
import org.slipstream.it.fixture.MixedMail;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `kill -9` under load, several times in one spool: each message that was acknowledged arrives,
/// whole and unchanged, and no recorded outcome is forgotten.
///
/// Clients send [MixedMail] all the time and record a message when they have read its 250. The
/// server is killed at a random moment. Then its index stays as it is, some seconds behind the log,
/// or is lost, old or damaged ([LostIndex]), and the server starts again in the same home. At the
/// end the server may deliver the rest, and the [CrashLedger] is checked.
///
/// The long form, which may run for hours:
///
/// ```
/// mvn -B verify -pl it-tests -am -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
///     -Dit.test=CrashIT -Dslipstream.long=true
///     -Djunit.jupiter.execution.timeout.mode=disabled
/// ```
class CrashIT {
    private static final boolean LONG = Boolean.getBoolean("slipstream.long");
    private static final int KILLS = LONG ? 100 : 4;
    /// In the long form some 100,000 messages are acknowledged for each number of shards.
    private static final int LEAST_MESSAGES = LONG ? 850 : 100;
    private static final int CLIENTS = 6;
    /// Connections to the far side.
    private static final int LANES = 8;
    private static final int MESSAGES_OF_A_CONNECTION = 20;
    @RegisterExtension
    final Workbench bench = new Workbench();
    private final AtomicInteger number = new AtomicInteger();
    private final CrashLedger ledger = new CrashLedger();
    private final ConcurrentLinkedQueue<String> troubles = new ConcurrentLinkedQueue<>();

    /// With several shards, orders to them run under the load: mail moves, shards come and go, and
    /// the kill hits the middle of it. The limit of a destination holds over all of them.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    @Tag("IM-22")
    @Tag("IM-33")
    void everythingAcknowledgedArrivesAndNoRecordedOutcomeIsForgotten(int shards) {
        var random = seeded();
        var far = farSide();
        // Small segments, so that the log is cleaned often.
        var server = bench.server(Settings.quick().route("far.example", far).set("spool.segment-size", "1MiB")
                .set("spool.inline-size", "16KiB").set("queue.lanes-per-destination", String.valueOf(LANES))
                .set("shard.count", String.valueOf(shards)).set("shard.interval", "1s").set("events.keep", "1d"));
        var index = new LostIndex(server.home());

        for (int kill = 0; kill < KILLS; kill++) {
            far.change(script -> script.on(SinkPhase.FINAL_DOT, SinkAction.close().applies(3)));
            int round = kill;
            killUnderLoad(server, far, LEAST_MESSAGES + random.nextInt(300), () -> order(server, shards, round));
            ledger.ofOneLife(far.takeMessages());
            index.suffer(LostIndex.Loss.ofRound(kill));
            server.startAgain();
        }

        eventually().atMost(Duration.ofMinutes(3)).pollInterval(Duration.ofMillis(250))
                .until(() -> Queue.of(server).isEmpty());
        assertThat(server.stop()).isZero();
        ledger.ofOneLife(far.takeMessages());
        assertThat(troubles).isEmpty();
        assertThat(server.log().lines().filter(line -> line.contains("event=message-set-aside"))).isEmpty();
        ledger.check(server.mail());
        ledger.check(EventLedger.of(server.home()), shards);
        assertThat(far.mostTransactions()).as("deliveries of all shards together").isLessThanOrEqualTo(LANES);
    }

    private static void order(PackagedServer server, int shards, int round) {
        if (shards > 1) {
            server.command(switch (round % 4) {
                case 0 -> new String[]{"shard", "drain", String.valueOf(shards)};
                case 1 -> new String[]{"shard", "add"};
                case 2 -> new String[]{"shard", "disable", "1"};
                default -> new String[]{"shard", "enable", "1"};
            }).mustSucceed();
        }
    }

    /// A server that has just been killed may be killed again while it starts and while it rebuilds
    /// its index.
    @Test
    void dyingAgainAndAgainWhileStartingLosesNothing() {
        var random = seeded();
        var far = farSide();
        var server = bench.server(Settings.quick().route("far.example", far));
        var index = new LostIndex(server.home());
        killUnderLoad(server, far, 250, () -> {});
        ledger.ofOneLife(far.takeMessages());
        for (var loss : LostIndex.Loss.values()) {
            index.suffer(loss);
            server.dieWhileStarting(Duration.ofMillis(300 + random.nextInt(1_500)), ledger::killed);
            eventually().until(() -> far.open() == 0);
            ledger.ofOneLife(far.takeMessages());
        }
        server.startAgain();
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(server.stop()).isZero();
        ledger.ofOneLife(far.takeMessages());
        ledger.check(server.mail());
    }

    private static Random seeded() {
        long seed = System.nanoTime();
        System.out.println("CrashIT seed " + seed);
        return new Random(seed);
    }

    private SmtpSink farSide() {
        var far = bench.smtpSink();
        far.change(script -> script.onRecipients(new MixedMail.Refusals()));
        return far;
    }

    /// The life is long enough for outcomes that must be recorded when it ends.
    private void killUnderLoad(PackagedServer server, SmtpSink far, int acknowledgements, Runnable meanwhile) {
        int goal = ledger.acknowledged() + acknowledgements;
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            startClients(clients, server);
            eventually().pollInterval(Duration.ofMillis(20)).until(() -> ledger.acknowledged() >= goal / 2);
            meanwhile.run();
            eventually().pollInterval(Duration.ofMillis(20))
                    .until(() -> ledger.acknowledged() >= goal && CrashLedger.isOldEnough(far.messages()));
            ledger.killed();
            server.kill9();
        }
        // Mail that the killed server had sent belongs to its life.
        eventually().until(() -> far.open() == 0);
    }

    private void startClients(ExecutorService clients, PackagedServer server) {
        var port = server.smtp();
        for (int i = 0; i < CLIENTS; i++) {
            clients.submit(() -> {
                // A new connection now and then, as clients do. The loop ends when the server is
                // killed.
                while (server.isAlive()) {
                    try (var talk = SmtpTalker.introducedTo(port)) {
                        for (int sent = 1; sent < MESSAGES_OF_A_CONNECTION; sent++) {
                            sendOne(talk);
                        }
                        talk.closeInTheMiddleOf(MixedMail.cut(number.incrementAndGet()));
                    } catch (UncheckedIOException e) {
                        // Killed, or being killed.
                    }
                }
            });
        }
    }

    private void sendOne(SmtpTalker talk) {
        int next = number.incrementAndGet();
        OutgoingMessage outgoing = MixedMail.message(next);
        var answer = talk.send(outgoing);
        if (answer.code() == 250) {
            ledger.acknowledged(next);
        } else {
            troubles.add(outgoing.id() + ": " + answer);
        }
    }
}
