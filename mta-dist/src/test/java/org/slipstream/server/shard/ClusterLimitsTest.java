package org.slipstream.server.shard;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.cluster.BrokerOffice.OfficeLook;
import org.slipstream.core.HostKey;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder.AskLease;
import org.slipstream.qmgr.event.QmgrOrder.HoldLeases;
import org.slipstream.qmgr.event.QmgrOrder.ReturnLease;
import org.slipstream.qmgr.wake.LimitKey;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import static org.assertj.core.api.Assertions.assertThat;

/// Two nodes with their threads, the text of their messages, and clocks that the test sets forward.
class ClusterLimitsTest {
    private static final LimitKey SMTP = LimitKey.transport("smtp");

    private volatile String officer = "a";
    private volatile long epoch = 1;
    private volatile boolean network = true;
    private final Node a = new Node("a");
    private final Node b = new Node("b");

    private final class Node implements AutoCloseable {
        final String name;
        final ShardExchange exchange;
        final ClusterLimits limits;
        final AtomicInteger cuts = new AtomicInteger();
        final List<QmgrEvent> heard = new CopyOnWriteArrayList<>();
        final List<Duration> limitsWithGrants = new CopyOnWriteArrayList<>();
        final List<Duration> limitsWithout = new CopyOnWriteArrayList<>();
        volatile boolean database = true;
        private long looked = System.nanoTime();
        private long passed;

        Node(String name) {
            this.name = name;
            this.exchange = new ShardExchange(name, name.hashCode(), this::now);
            this.limits = new ClusterLimits(exchange, this::office, this::ask, this::now);
            exchange.join(1, heard::add, Map.of(), cuts::incrementAndGet);
        }

        /// A machine that stands still ends no grant: between two looks at the clock a moment passes at most.
        private synchronized long now() {
            long before = looked;
            looked = System.nanoTime();
            passed += Math.min(looked - before, 50_000_000);
            return passed / 1_000_000;
        }

        synchronized void leap(int millis) {
            passed += millis * 1_000_000L;
        }

        private OfficeLook office() throws SQLException {
            if (!database) {
                throw new SQLException("no answer");
            }
            return new OfficeLook(epoch, officer, name.equals(officer), 1_000_000);
        }

        private String ask(String address, String service, String message, Duration timeout) throws IOException {
            assertThat(service).isEqualTo("limits");
            (exchange.mayStart() ? limitsWithGrants : limitsWithout).add(timeout);
            if (!network) {
                throw new IOException("no route to host");
            }
            return (address.equals("a") ? a : b).limits.answer(message);
        }

        int granted() {
            return heard.stream().filter(QmgrEvent.LeaseGranted.class::isInstance)
                    .mapToInt(event -> ((QmgrEvent.LeaseGranted) event).lanes()).sum();
        }

        void awaitHeard(Predicate<QmgrEvent> what) {
            await().until(() -> heard.stream().anyMatch(what));
        }

        @Override
        public void close() {
            limits.close();
        }
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(90));
    }

    private void start() {
        a.limits.start();
        b.limits.start();
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    @Test
    void twoNodesShareALimitAndOneThatIsCutOffClosesItsConnectionsBeforeTheOtherGetsItsLanes() {
        start();
        a.exchange.order(1, new AskLease(SMTP, 10, 10));
        await().until(() -> a.granted() == 10);
        b.exchange.order(1, new AskLease(SMTP, 10, 10));
        a.awaitHeard(event -> event.equals(new QmgrEvent.LeaseRecalled(SMTP, 5)));
        a.exchange.order(1, new ReturnLease(SMTP, 5));
        await().until(() -> b.granted() == 5);
        await().until(b.exchange::mayStart);

        network = false;
        b.leap(9_500);
        await().until(() -> b.cuts.get() == 1);
        assertThat(b.exchange.mayStart()).isFalse();
        b.awaitHeard(QmgrEvent.LimitsShared.class::isInstance);
        assertThat(b.limits.trouble()).isPresent();
        await().until(a.exchange::mayStart);
        assertThat(a.cuts).hasValue(0);

        network = true;
        b.exchange.order(1, new HoldLeases(List.of()));
        await().until(b.exchange::mayStart);
        assertThat(b.limits.trouble()).isEmpty();
    }

    @Test
    void aNodeWhoseOfficeIsNotRenewedAnswersNoReport() {
        start();
        await().until(b.exchange::mayStart);
        a.database = false;
        a.leap(4_000);
        assertThat(refuses(a)).isTrue();
        officer = "b";
        epoch = 2;
        b.exchange.order(1, new AskLease(SMTP, 4, 4));
        await().until(() -> b.granted() == 4);
        assertThat(b.limits.accounts()).extracting(lanes -> lanes.node() + lanes.held()).contains("b4");
    }

    /// A handshake that is given up begins again, so a slow start would never have an end.
    @Test
    void aNodeWithoutGrantsWaitsLongerForItsFirstAnswer() {
        start();
        await().until(() -> b.exchange.mayStart() && !b.limitsWithGrants.isEmpty());
        assertThat(b.limitsWithout).isNotEmpty().allMatch(each -> each.compareTo(Duration.ofSeconds(5)) > 0);
        assertThat(b.limitsWithGrants).allMatch(each -> each.compareTo(Duration.ofSeconds(2)) <= 0);
    }

    private static boolean refuses(Node node) {
        try {
            node.limits.answer("{\"node\":\"x\",\"start\":1,\"epoch\":1,\"session\":0,\"sentMillis\":1,"
                    + "\"frame\":{\"first\":1,\"heard\":0,\"items\":[]},\"later\":{\"a\":[1]}}");
            return false;
        } catch (IllegalArgumentException refused) {
            return String.valueOf(refused.getMessage()).contains("does not divide");
        }
    }

    @Test
    void aFieldOfALaterVersionIsPassedOverAndNonsenseIsRefused() {
        start();
        await().until(b.exchange::mayStart);
        await().until(() -> !refuses(a));
        for (String nonsense : List.of("", "[]", "{}", "{\"node\":1}", "x".repeat(1_000), "{\"node\":\"x\"} {}")) {
            assertThat(Optional.of(nonsense).map(text -> {
                try {
                    return a.limits.answer(text);
                } catch (IllegalArgumentException refused) {
                    return "refused";
                }
            })).hasValue("refused");
        }
    }

    @Test
    void whatOneNodeLearnsAboutAHostReachesTheOther() {
        start();
        await().until(() -> a.exchange.mayStart() && b.exchange.mayStart());
        HostRow.Change down = new HostRow.Change.Put(new HostRow(HostKey.of("mx.far.example", 25).toString(),
                "mx.far.example", HostRow.HostRowKind.RETRY, 1, 2, 1, "451 later", ""));
        a.exchange.hosts(1, _ -> {}).changed(List.of(down));
        b.awaitHeard(event -> event.equals(new QmgrEvent.HostsLearned(List.of(down))));
    }
}
