package org.slipstream.server.shard;

import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.cluster.ClusterLook;
import org.slipstream.cluster.ClusterLook.ClusterNode;
import org.slipstream.cluster.ClusterLook.ShardClaim;
import org.slipstream.cluster.ClusterMember;
import org.slipstream.cluster.OrderStore;
import org.slipstream.config.Config;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogShard;
import org.slipstream.server.dispatch.DeliveryLease;
import org.slipstream.server.operate.RemoteShard;
import org.slipstream.server.operate.ShardCalls;
import org.slipstream.server.operate.ShardPart;
import org.slipstream.server.operate.WaitingShard;
import org.slipstream.server.operate.WaitingShard.WaitReason;
import org.slipstream.spool.postgres.LogDatabase;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/// The parts of a server that make it a node of a cluster: its claims on shards, its messages to other nodes, their
/// shards, and the orders that hold on all of them. A server that is alone has none of this.
final class ClusterSide implements AutoCloseable {
    private final String node;
    private final ShardExchange exchange;
    private final Optional<NodeMessages> messages;
    private final LogDatabase database;
    private final ClusterOrders orders;
    private final ShardCluster claims;
    /// Shards of other nodes, with the nodes that own them.
    private final Map<List<Object>, ShardPart> remote = new ConcurrentHashMap<>();

    private ClusterSide(Config config, ShardExchange exchange, Optional<NodeMessages> messages, LogDatabase database,
            ClusterOrders orders, ShardCluster claims) {
        this.node = config.cluster().node().orElseThrow();
        this.exchange = exchange;
        this.messages = messages;
        this.database = database;
        this.orders = orders;
        this.claims = claims;
    }

    /// Joins the cluster, and returns when this node has a shard.
    ///
    /// @param start of this process, as the exchange knows it
    /// @param nanos a clock like [System#nanoTime], for the leases of shards
    static ClusterSide join(Config config, ShardSet set, ShardExchange exchange, long start,
            ShardCluster.ClaimedOpener opener, LongSupplier clock, LongSupplier nanos) throws IOException {
        if (!Spools.isInDatabase(config.spool())) {
            throw new IOException("the folder " + config.spool().directory() + " has messages in files, and a node of a"
                    + " cluster has them in spool.database: deliver them with cluster.node = \"\" and spool.engine ="
                    + " \"files\" first, or set another spool.directory");
        }
        LogShard.several(true);
        Optional<NodeMessages> messages = NodeMessages.open(config, start, exchange);
        try {
            return join(config, set, exchange, opener, clock, nanos, messages);
        } catch (IOException | RuntimeException refused) {
            messages.ifPresent(NodeMessages::close);
            throw refused;
        }
    }

    private static ClusterSide join(Config config, ShardSet set, ShardExchange exchange,
            ShardCluster.ClaimedOpener opener, LongSupplier clock, LongSupplier nanos,
            Optional<NodeMessages> messages) throws IOException {
        LogDatabase database = LogDatabase.reach(ShardCluster.database(config));
        try {
            ClusterOrders orders = orders(config, set, database, clock);
            ShardCluster claims = ShardCluster.join(config, set, opener, config.cluster().node().orElseThrow(),
                    messages.map(NodeMessages::address).orElse(""), nanos);
            return new ClusterSide(config, exchange, messages, database, orders, claims);
        } catch (IOException | RuntimeException refused) {
            database.close();
            throw refused;
        }
    }

    private static ClusterOrders orders(Config config, ShardSet set, LogDatabase database, LongSupplier clock)
            throws IOException {
        try {
            OrderStore store = new OrderStore(database);
            store.prepare();
            return ShardViews.clusterOrders(set, store, config, clock);
        } catch (SQLException | IOException | RuntimeException refused) {
            throw new IOException("the database of the cluster does not answer: " + FailureWords.of(refused), refused);
        }
    }

    /// From now on other nodes get answers, and shards are opened and closed as the claims change.
    void start(ShardSet set) throws IOException {
        claims.start();
        if (messages.isPresent()) {
            messages.get().start(message -> ShardCalls.answer(message, number -> ShardViews.part(set, number),
                    set::commonRecords));
        }
        orders.start();
    }

    ClusterMember member() {
        return claims.member();
    }

    /// Empty for a node that does not talk to others.
    Optional<NodeMessages> messages() {
        return messages;
    }

    /// The standing orders of the cluster.
    ClusterOrders orders() {
        return orders;
    }

    /// No delivery starts without the shard, nor while the grants of this node are about to end.
    ///
    /// @param claimed false for a shard that no other node can have
    DeliveryLease lease(Shard shard, boolean claimed) {
        DeliveryLease ofShard = claimed ? claims.lease(shard) : DeliveryLease.ENDLESS;
        return new DeliveryLease() {
            @Override
            public boolean mayStart() {
                return ofShard.mayStart() && exchange.mayStart();
            }

            @Override
            public boolean mayEnd() {
                return ofShard.mayEnd();
            }
        };
    }

    /// The settings in force, for `mta cluster check` at any node.
    void settings(Config now) {
        claims.settings(now);
    }

    // ---- other nodes

    /// The nodes of the cluster, as the last renewal saw them.
    int nodes() {
        return member().seen().map(look -> look.nodes().size()).orElse(1);
    }

    /// The shards that this node does not own, as the last renewal saw them.
    List<ShardPart> elsewhere(ShardSet set) {
        Optional<ClusterLook> seen = member().seen();
        if (seen.isEmpty()) {
            return List.of();
        }
        List<ShardPart> parts = seen.get().shards().stream().filter(claim -> set.shard(claim.number()).isEmpty())
                .map(claim -> elsewhere(claim, seen.get())).toList();
        remote.values().retainAll(parts);
        return parts;
    }

    private ShardPart elsewhere(ShardClaim claim, ClusterLook look) {
        Optional<ClusterNode> owner = claim.holder().flatMap(look::node).filter(each -> !each.name().equals(node));
        if (owner.isEmpty()) {
            return new WaitingShard(claim.number(), WaitReason.NO_OWNER, Optional.empty());
        }
        String name = owner.get().name();
        String address = owner.get().address();
        return remote.computeIfAbsent(List.of(claim.number(), name, address),
                _ -> new RemoteShard(claim.number(), node, name, message -> ask(address, message)));
    }

    private String ask(String address, String message) throws IOException {
        if (messages.isEmpty() || address.isEmpty()) {
            throw new IOException("nodes do not talk to each other: cluster.listen is not set");
        }
        return messages.get().ask(address, ShardCalls.SERVICE, message);
    }

    // ---- for operators

    /// @param keepsHere whether new mail is kept on this node
    List<TroubleView> troubles(boolean keepsHere) {
        List<TroubleView> troubles = new ArrayList<>(claims.troubles(keepsHere));
        troubles.addAll(orders.troubles());
        messages.flatMap(NodeMessages::trouble).map(why -> new TroubleView("cluster-limits", "",
                "this node starts no delivery to other servers",
                "it has no grants of the limits of the cluster: " + why)).ifPresent(troubles::add);
        return troubles;
    }

    ClusterFigures figures() {
        return claims.figures(exchange.mayStart());
    }

    // ---- stop

    /// From here on no shard is taken.
    void stopClaiming() {
        claims.stopClaiming();
    }

    /// The spool of the shard is closed, so another node may have it at once.
    void closed(Shard shard) {
        claims.closed(shard);
    }

    @Override
    public void close() {
        orders.close();
        database.close();
        messages.ifPresent(NodeMessages::close);
        claims.close();
    }
}
