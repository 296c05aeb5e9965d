package org.slipstream.server.shard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.HostOperations;
import org.slipstream.admin.operations.Operations.NotOnDiskException;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.admin.operations.StandingOrders;
import org.slipstream.cluster.OrderTable;
import org.slipstream.cluster.OrderTable.OrderKey;
import org.slipstream.cluster.OrderTable.OrderRow;
import org.slipstream.cluster.OrderTable.OrdersKept;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.order.HostOrder;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.qmgr.event.HostRow.HostRowKind;
import org.slipstream.server.operate.ShardStandingOrders;
import org.slipstream.spool.Spool;
import org.slipstream.spool.log.HostRecord;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/// Suspensions, the freeze and limits of a cluster. An order that any node was given is in the database first
/// ([OrderTable]), then in force on this node; the thread `cluster-orders` of each other node finds it within a
/// second. So an order outlives the node where it was given, and its end holds on each node, too.
///
/// **The database does not answer.** An operator must be able to stop mail then, so the order is carried out on
/// this node, and the caller is told that the others do not know it. It is written when the database answers; a
/// stop before that forgets it.
///
/// A shard begins with all orders ([#common]). One that comes from a server without a cluster has orders in its
/// own log; they become orders of the cluster ([#adopt]).
final class ClusterOrders implements StandingOrders, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ClusterOrders.class);
    private static final long LOOK_MILLIS = 1_000;
    /// The kind of a row about a host. All others are kinds of [StandingOrder].
    private static final String HOST = "suspended-host";

    private final OrderTable table;
    private final StandingOrders here;
    private final HostOperations hostsHere;
    private final LongSupplier clock;
    private final Thread thread = Thread.ofPlatform().daemon().name("cluster-orders").unstarted(this::run);
    private volatile boolean closed;
    private volatile int untold;

    // Guarded by this: a change is in the table and in force before the next one is read.
    private final Map<OrderKey, OrderRow> inForce = new LinkedHashMap<>();
    /// Orders that the database has not taken yet. Empty: the end of one.
    private final Map<OrderKey, Optional<OrderRow>> unwritten = new LinkedHashMap<>();
    private long seen = -1;
    private long changes;

    /// @param here carries orders out in the shards of this node; @param hostsHere the same for hosts
    ClusterOrders(OrderTable table, StandingOrders here, HostOperations hostsHere, LongSupplier clock) {
        this.table = table;
        this.here = here;
        this.hostsHere = hostsHere;
        this.clock = clock;
    }

    // ---- start

    /// Reads the orders before the first shard starts.
    synchronized void load() throws IOException {
        try {
            OrdersKept rows = table.read();
            rows.rows().forEach(row -> inForce.put(row.key(), row));
            seen = rows.change();
        } catch (SQLException silent) {
            throw new IOException("the database of the cluster does not answer: " + FailureWords.of(silent), silent);
        }
    }

    void start() {
        thread.start();
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }

    // ---- shards

    /// The records with which a shard starts.
    ///
    /// @param kept those of this node. Its suspensions of hosts may have ended while it was away
    synchronized Spool.CommonRecords common(Spool.CommonRecords kept) {
        Stream<HostRecord> suspended = inForce(HOST).map(row -> new HostRecord(row.name(),
                HostRowKind.SUSPENDED.name(), "", row.sinceMillis(), row.untilMillis(), 0, row.why(), row.author()));
        return new Spool.CommonRecords(
                Stream.concat(kept.hosts().stream().filter(host -> !host.kind().equals(HostRowKind.SUSPENDED.name())),
                        suspended).toList(),
                orders().toList());
    }

    /// Orders in the log of a shard become orders of the cluster.
    synchronized void adopt(Spool spool) throws IOException {
        List<StandingOrder> own = spool.orders();
        try {
            for (StandingOrder order : own) {
                if (order.untilMillis() > clock.getAsLong()) {
                    table.keep(row(order), false);
                }
                spool.forgetOrder(order.kind(), order.name(), () -> {});
            }
            if (!own.isEmpty()) {
                follow(table.read());
            }
        } catch (SQLException silent) {
            throw new IOException("the database of the cluster does not answer: " + FailureWords.of(silent), silent);
        }
    }

    /// Grows with each change of the orders in force.
    synchronized long changes() {
        return changes;
    }

    /// Orders that changed while the shard started, all of them.
    synchronized void repeat(ShardStandingOrders shard) throws IOException {
        List<StandingOrder> wanted = orders().toList();
        for (SuspensionView each : shard.suspensions()) {
            endUnless(wanted, shard, "suspended-" + each.scope(), each.name());
        }
        for (LimitView each : shard.limits()) {
            endUnless(wanted, shard, LimitOrder.KIND, each.limit());
        }
        for (StandingOrder order : wanted) {
            shard.beginHere(order);
        }
    }

    private static void endUnless(List<StandingOrder> wanted, ShardStandingOrders shard, String kind, String name)
            throws IOException {
        if (wanted.stream().noneMatch(order -> order.kind().equals(kind) && order.name().equals(name))) {
            shard.endHere(kind, name);
        }
    }

    // ---- orders that were given here

    @Override
    public Optional<String> refusal(StandingOrder order) {
        return here.refusal(order);
    }

    @Override
    public synchronized List<SuspensionView> suspensions() {
        return orders().filter(Suspension.class::isInstance).map(Suspension.class::cast)
                .sorted(Comparator.comparing(each -> each.scope() != SuspensionScope.EVERYTHING))
                .map(SuspensionView::of).toList();
    }

    @Override
    public synchronized List<LimitView> limits() {
        return orders().filter(LimitOrder.class::isInstance).map(LimitOrder.class::cast).map(LimitView::of).toList();
    }

    @Override
    public synchronized void begin(StandingOrder order) throws IOException {
        Optional<NotOnDiskException> untold = write(row(order).key(), Optional.of(row(order)));
        here.begin(order);
        orThrow(untold);
    }

    @Override
    public boolean end(String kind, String name) throws IOException {
        lookFirst();
        return endKnown(kind, name);
    }

    /// Another node may have been given the order a moment ago, and this one would say that there is none.
    private void lookFirst() {
        try {
            look();
        } catch (SQLException silent) {
            log.debug("event=cluster-orders-unknown error=\"{}\"", LogText.text(FailureWords.of(silent)));
        }
    }

    private synchronized boolean endKnown(String kind, String name) throws IOException {
        boolean known = inForce.containsKey(new OrderKey(kind, name));
        Optional<NotOnDiskException> untold = write(new OrderKey(kind, name), Optional.empty());
        boolean ended = here.end(kind, name);
        orThrow(untold);
        return known || ended;
    }

    /// The hosts of this node. A suspension and its end hold on each node.
    HostOperations hosts() {
        return new HostOperations() {
            @Override
            public Hosts hosts() throws IOException {
                return hostsHere.hosts();
            }

            @Override
            public List<HostView> show(String name) throws IOException {
                return hostsHere.show(name);
            }

            @Override
            public List<String> order(String name, HostOrder order) throws IOException {
                if (order instanceof HostOrder.Resume) {
                    lookFirst();
                }
                return orderHost(name, order);
            }
        };
    }

    // The keys are known when the order is carried out. The other nodes also get it as news, mostly before they read
    // the table.
    private synchronized List<String> orderHost(String name, HostOrder order) throws IOException {
        List<String> keys = hostsHere.order(name, order);
        Optional<NotOnDiskException> untold = Optional.empty();
        for (String key : keys) {
            Optional<NotOnDiskException> one = switch (order) {
                case HostOrder.Suspend suspend -> write(new OrderKey(HOST, key),
                        Optional.of(new OrderRow(HOST, key, "", suspend.reason(), suspend.author(), clock.getAsLong(),
                                suspend.untilMillis())));
                case HostOrder.Resume _ -> write(new OrderKey(HOST, key), Optional.empty());
                case HostOrder.Forget _ -> Optional.empty();
            };
            untold = untold.or(() -> one);
        }
        orThrow(untold);
        return keys;
    }

    private static void orThrow(Optional<NotOnDiskException> untold) throws NotOnDiskException {
        if (untold.isPresent()) {
            throw untold.get();
        }
    }

    /// @return the exception for the caller, when the order is carried out and the database does not have it
    private Optional<NotOnDiskException> write(OrderKey key, Optional<OrderRow> order) throws IOException {
        try {
            write(table, key, order);
            unwritten.remove(key);
        } catch (SQLException silent) {
            unwritten.put(key, order);
            String words = FailureWords.of(silent);
            log.warn("event=cluster-order-not-shared kind={} name={} error=\"{}\" next=\"it holds on this node, and"
                    + " is written when the database answers\"", key.kind(), LogText.word(key.name()),
                    LogText.text(words));
        }
        put(key, order);
        untold = unwritten.size();
        return unwritten.containsKey(key)
                ? Optional.of(new NotOnDiskException("carried out on this node. The database of the cluster does not"
                        + " answer: the other nodes get the order when it does, and a stop before that forgets it"))
                : Optional.empty();
    }

    private static void write(OrderTable table, OrderKey key, Optional<OrderRow> order)
            throws SQLException, IOException {
        if (order.isEmpty()) {
            table.forget(key);
        } else if (!table.keep(order.get(), true)) {
            throw new IOException("the cluster has too many standing orders; end some (mta suspended, mta limit)");
        }
    }

    private void put(OrderKey key, Optional<OrderRow> order) {
        order.ifPresentOrElse(row -> inForce.put(key, row), () -> inForce.remove(key));
        changes++;
    }

    // ---- orders that were given elsewhere

    private void run() {
        while (!closed) {
            try {
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
                look();
            } catch (InterruptedException stop) {
                return;
            } catch (SQLException silent) {
                log.debug("event=cluster-orders-unknown error=\"{}\"", LogText.text(FailureWords.of(silent)));
            } catch (RuntimeException broken) {
                log.error("event=task-failed", broken);
            }
        }
    }

    /// Puts the changes of other nodes into force here. The database is asked without the lock, so that an operator
    /// does not wait when it is silent.
    void look() throws SQLException {
        long now = table.change();
        synchronized (this) {
            if (now == seen && unwritten.isEmpty()) {
                return;
            }
            writeLate();
            follow(table.read());
        }
    }

    private void writeLate() throws SQLException {
        for (Map.Entry<OrderKey, Optional<OrderRow>> each : List.copyOf(unwritten.entrySet())) {
            try {
                write(table, each.getKey(), each.getValue());
            } catch (IOException refused) {
                log.warn("event=cluster-order-failed kind={} name={} error=\"{}\"", each.getKey().kind(),
                        LogText.word(each.getKey().name()), LogText.text(FailureWords.of(refused)));
            }
            unwritten.remove(each.getKey());
            untold = unwritten.size();
        }
    }

    private void follow(OrdersKept rows) {
        Map<OrderKey, OrderRow> wanted = new LinkedHashMap<>();
        rows.rows().forEach(row -> wanted.put(row.key(), row));
        for (OrderKey gone : List.copyOf(inForce.keySet())) {
            if (!wanted.containsKey(gone)) {
                put(gone, Optional.empty());
                carryOut(gone, Optional.empty());
            }
        }
        wanted.forEach((key, row) -> {
            if (!row.equals(inForce.get(key))) {
                put(key, Optional.of(row));
                carryOut(key, Optional.of(row));
            }
        });
        seen = rows.change();
    }

    /// A shard that does not answer gets the order when its queue manager starts again.
    private void carryOut(OrderKey key, Optional<OrderRow> order) {
        try {
            if (key.kind().equals(HOST)) {
                carryOutForHost(key.name(), order);
            } else if (order.isEmpty()) {
                here.end(key.kind(), key.name());
            } else {
                Optional<StandingOrder> known = order.flatMap(ClusterOrders::order)
                        .filter(each -> each.untilMillis() > clock.getAsLong());
                if (known.isPresent()) {
                    here.begin(known.get());
                }
            }
        } catch (IOException | RuntimeException refused) {
            log.warn("event=cluster-order-failed kind={} name={} error=\"{}\"", key.kind(), LogText.word(key.name()),
                    LogText.text(FailureWords.of(refused)));
        }
    }

    /// News of the host were mostly here before.
    private void carryOutForHost(String host, Optional<OrderRow> order) throws IOException {
        boolean isSo = hostsHere.show(host).stream().flatMap(each -> each.states().stream())
                .filter(state -> state.state().equals("suspended"))
                .anyMatch(state -> order.isEmpty() || state.reason().equals(order.get().why())
                        && state.author().equals(order.get().author()));
        if (order.isEmpty() && isSo) {
            hostsHere.order(host, new HostOrder.Resume());
        } else if (order.isPresent() && !isSo) {
            hostsHere.order(host, new HostOrder.Suspend(order.get().why(), order.get().author(),
                    Optional.of(order.get().untilMillis()).filter(end -> end != Long.MAX_VALUE)
                            .map(Instant::ofEpochMilli)));
        }
    }

    // ---- for operators

    List<TroubleView> troubles() {
        int orders = untold;
        return orders == 0
                ? List.of()
                : List.of(new TroubleView("cluster-orders", "", "they hold on this node only", orders
                        + " orders of operators are not in the database, because it does not answer"));
    }

    // ---- rows

    private Stream<StandingOrder> orders() {
        return inForce.values().stream().flatMap(row -> order(row).stream())
                .filter(order -> order.untilMillis() > clock.getAsLong());
    }

    private Stream<OrderRow> inForce(String kind) {
        return new ArrayList<>(inForce.values()).stream()
                .filter(row -> row.kind().equals(kind) && row.untilMillis() > clock.getAsLong());
    }

    /// Empty for a kind of another version.
    private static Optional<StandingOrder> order(OrderRow row) {
        return StandingOrder.of(row.kind(), row.name(), row.value(), row.why(), row.author(), row.sinceMillis(),
                row.untilMillis());
    }

    private static OrderRow row(StandingOrder order) {
        return new OrderRow(order.kind(), order.name(), order.value(), order.why(), order.author(),
                order.sinceMillis(), order.untilMillis());
    }
}
