package org.slipstream.server.shard;

import org.junit.jupiter.api.Test;
import org.slipstream.admin.operations.HostOperations;
import org.slipstream.admin.operations.Operations.NotOnDiskException;
import org.slipstream.admin.operations.StandingOrders;
import org.slipstream.cluster.OrderTable;
import org.slipstream.core.order.HostOrder;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.spool.Spool;
import org.slipstream.spool.log.HostRecord;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/// The standing orders of two nodes over one table, which may be silent.
class ClusterOrdersTest {
    private static final long NOW = 1_000_000;
    private static final Suspension FAR = new Suspension(SuspensionScope.DESTINATION, "far.example", "repair", "ann",
            NOW, Long.MAX_VALUE);
    private static final StandingOrder LIMIT = StandingOrder.of(LimitOrder.KIND, "window:far.example", "3", "slow",
            "ann", NOW, NOW + 60_000).orElseThrow();

    private final FakeTable table = new FakeTable();
    private final Shards ofA = new Shards();
    private final Shards ofB = new Shards();
    private final ClusterOrders a = node(ofA);
    private final ClusterOrders b = node(ofB);
    private long now = NOW;

    private ClusterOrders node(Shards shards) {
        return new ClusterOrders(table, shards, shards.hosts, () -> now);
    }

    private static final class FakeTable implements OrderTable {
        final Map<OrderKey, OrderRow> rows = new LinkedHashMap<>();
        long change;
        boolean silent;
        boolean full;

        private void answers() throws SQLException {
            if (silent) {
                throw new SQLException("no connection", "08006");
            }
        }

        @Override
        public long change() throws SQLException {
            answers();
            return change;
        }

        @Override
        public OrdersKept read() throws SQLException {
            answers();
            return new OrdersKept(change, List.copyOf(rows.values()));
        }

        @Override
        public boolean keep(OrderRow order, boolean replace) throws SQLException {
            answers();
            if (full) {
                return false;
            }
            change++;
            if (replace) {
                rows.put(order.key(), order);
            } else {
                rows.putIfAbsent(order.key(), order);
            }
            return true;
        }

        @Override
        public boolean forget(OrderKey key) throws SQLException {
            answers();
            change++;
            return rows.remove(key) != null;
        }
    }

    /// Carries orders out by writing them down.
    private static final class Shards implements StandingOrders {
        final Map<String, StandingOrder> inForce = new LinkedHashMap<>();
        final List<String> said = new ArrayList<>();
        final Map<String, HostOrder.Suspend> suspended = new LinkedHashMap<>();
        boolean broken;
        final HostOperations hosts = new HostOperations() {
            @Override
            public Hosts hosts() {
                throw new UnsupportedOperationException();
            }

            @Override
            public List<HostView> show(String name) {
                return Optional.ofNullable(suspended.get(name)).map(each -> new HostView(name, "", List.of(
                        new StateView("suspended", each.reason(), "", "", 0, each.author())), List.of())).stream()
                        .toList();
            }

            @Override
            public List<String> order(String name, HostOrder order) {
                switch (order) {
                    case HostOrder.Suspend suspend -> suspended.put(name, suspend);
                    case HostOrder.Resume _ -> {
                        if (suspended.remove(name) == null) {
                            return List.of();
                        }
                    }
                    case HostOrder.Forget _ -> said.add("forgotten");
                }
                return List.of(name);
            }
        };

        @Override
        public List<SuspensionView> suspensions() {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<LimitView> limits() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<String> refusal(StandingOrder order) {
            return Optional.empty();
        }

        @Override
        public void begin(StandingOrder order) throws IOException {
            said.add("begin " + order.name());
            if (broken) {
                throw new IOException("the queue manager does not answer");
            }
            inForce.put(order.kind() + " " + order.name(), order);
        }

        @Override
        public boolean end(String kind, String name) {
            said.add("end " + name);
            return inForce.remove(kind + " " + name) != null;
        }
    }

    @Test
    void anOrderAndItsEndHoldOnEachNode() throws Exception {
        a.begin(FAR);
        a.begin(LIMIT);
        assertThat(ofA.inForce.values()).containsExactly(FAR, LIMIT);
        b.look();
        assertThat(ofB.inForce.values()).containsExactly(FAR, LIMIT);
        assertThat(b.suspensions()).singleElement().satisfies(each -> assertThat(each.author()).isEqualTo("ann"));
        assertThat(b.limits()).hasSize(1);

        // An order that a node knows is not carried out again.
        a.look();
        b.look();
        assertThat(ofA.said).containsExactly("begin far.example", "begin window:far.example");
        assertThat(ofB.said).hasSize(2);

        assertThat(b.end(FAR.kind(), FAR.name())).isTrue();
        a.look();
        assertThat(ofA.inForce.values()).containsExactly(LIMIT);
        assertThat(a.end(FAR.kind(), FAR.name())).isFalse();
    }

    /// The other node has not looked since the order was given.
    @Test
    void anOrderOfAMomentAgoCanBeEndedAtAnotherNode() throws Exception {
        b.look();
        a.begin(FAR);
        assertThat(b.end(FAR.kind(), FAR.name())).isTrue();
        assertThat(table.rows).isEmpty();
        assertThat(ofB.inForce).isEmpty();

        a.hosts().order("192.0.2.1:25", new HostOrder.Suspend("disk full", "bob", Optional.empty()));
        assertThat(b.hosts().order("192.0.2.1:25", new HostOrder.Resume())).containsExactly("192.0.2.1:25");
        assertThat(table.rows).isEmpty();
        a.look();
        assertThat(ofA.inForce).isEmpty();
        assertThat(ofA.suspended).isEmpty();
        assertThat(a.end(FAR.kind(), FAR.name())).isFalse();
    }

    @Test
    void aNodeThatStartsKnowsAllThatAreInForce() throws Exception {
        a.begin(FAR);
        a.begin(LIMIT);
        a.hosts().order("192.0.2.1:25", new HostOrder.Suspend("disk full", "bob", Optional.empty()));
        ClusterOrders c = node(new Shards());
        c.load();
        HostRecord stale = new HostRecord("192.0.2.9:25", "SUSPENDED", "", 0, Long.MAX_VALUE, 0, "old", "eve");
        HostRecord dead = new HostRecord("192.0.2.9:25", "RETRY", "", 0, Long.MAX_VALUE, 3, "421", "");
        Spool.CommonRecords common = c.common(new Spool.CommonRecords(List.of(stale, dead), List.of(FAR)));
        assertThat(common.orders()).containsExactly(FAR, LIMIT);
        assertThat(common.hosts()).extracting(HostRecord::host, HostRecord::kind, HostRecord::words).containsExactly(
                tuple("192.0.2.9:25", "RETRY", "421"),
                tuple("192.0.2.1:25", "SUSPENDED", "disk full"));

        now = NOW + 60_000;
        assertThat(c.common(Spool.CommonRecords.NONE).orders()).as("the limit has ended").containsExactly(FAR);
        assertThat(c.limits()).isEmpty();
    }

    @Test
    void aSuspendedHostIsSuspendedAndResumedOnEachNode() throws Exception {
        b.look();
        a.hosts().order("192.0.2.1:25", new HostOrder.Suspend("disk full", "bob", Optional.empty()));
        b.look();
        assertThat(ofB.suspended).containsOnlyKeys("192.0.2.1:25");
        b.hosts().order("192.0.2.1:25", new HostOrder.Resume());
        a.look();
        assertThat(ofA.suspended).isEmpty();
        a.hosts().order("192.0.2.1:25", new HostOrder.Forget());
        assertThat(table.rows).isEmpty();
    }

    /// An operator must be able to stop mail while the database is silent.
    @Test
    void withoutTheDatabaseAnOrderHoldsHereAndIsSharedLater() throws Exception {
        b.begin(LIMIT);
        a.look();
        table.silent = true;
        assertThatThrownBy(() -> a.begin(FAR)).isInstanceOf(NotOnDiskException.class)
                .hasMessageContaining("carried out on this node");
        assertThatThrownBy(() -> a.end(LIMIT.kind(), LIMIT.name())).isInstanceOf(NotOnDiskException.class);
        assertThat(ofA.inForce.values()).containsExactly(FAR);
        assertThat(a.troubles()).singleElement().satisfies(each -> assertThat(each.reason()).startsWith("2 orders"));
        assertThatThrownBy(a::look).isInstanceOf(SQLException.class);
        assertThat(ofA.inForce.values()).containsExactly(FAR);

        table.silent = false;
        a.look();
        assertThat(a.troubles()).isEmpty();
        b.look();
        assertThat(ofB.inForce.values()).containsExactly(FAR);
    }

    @Test
    void oneOrderTooManyIsRefusedAndDoesNothing() {
        table.full = true;
        assertThatThrownBy(() -> a.begin(FAR)).isInstanceOf(IOException.class).hasMessageContaining("too many");
        assertThat(ofA.inForce).isEmpty();
        assertThat(a.suspensions()).isEmpty();
    }

    /// Its queue manager restarts with all orders.
    @Test
    void aShardThatDoesNotAnswerDoesNotKeepTheNextOrderBack() throws Exception {
        a.begin(FAR);
        a.begin(LIMIT);
        ofB.broken = true;
        assertThatCode(b::look).doesNotThrowAnyException();
        assertThat(ofB.said).containsExactly("begin far.example", "begin window:far.example");
        assertThat(b.common(Spool.CommonRecords.NONE).orders()).containsExactly(FAR, LIMIT);
    }
}
