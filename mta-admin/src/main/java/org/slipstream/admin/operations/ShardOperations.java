package org.slipstream.admin.operations;

import org.slipstream.core.order.ShardOrder;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// The shards of the server as the API uses them. Called on HTTP threads.
///
/// Each order is on disk before it is answered, so it survives a restart. A load set by hand is
/// not: it ends with the process.
public interface ShardOperations {
    /// All open shards, and those that an operator has drained or disabled and that are closed, by
    /// number.
    List<ShardView> shards() throws IOException;

    /// Carries out an order.
    ///
    /// @param shard its number; of no use for [ShardOrder.Add]
    ShardAnswer order(int shard, ShardOrder order) throws IOException;

    /// The cluster, as its database shows it; empty for a server that is alone.
    default Optional<ClusterView> cluster() {
        return Optional.empty();
    }

    /// @param node the name of this server; empty when it is alone
    /// @param database empty while it answers; otherwise the failure, and the rest is as it was before
    /// @param broker the node that divides the limits; empty when it is not known
    /// @param standbys of the database that are connected
    record ClusterView(String node, String database, List<NodeView> nodes, List<ClaimView> shards, String broker,
            List<StandbyView> standbys) {
        public static final ClusterView ALONE = new ClusterView("", "", List.of(), List.of(), "", List.of());
    }

    /// A standby of the database.
    ///
    /// @param state such as `streaming`; empty without the right to see it, as is sync
    /// @param sync `sync` or `quorum`: it confirms commits; `potential`, `async`
    record StandbyView(String name, String state, String sync) {}

    /// A server of the cluster.
    ///
    /// @param address where other nodes reach it; empty when it tells none
    /// @param state `alive`, or `silent`: it does not renew its leases
    /// @param seenSeconds since it renewed its leases
    /// @param grantSeconds for which it may start deliveries without a further answer of the node that divides the
    ///     limits; 0: it starts none; absent: it did not tell
    record NodeView(String name, String address, String version, String state, double seenSeconds, double upSeconds,
            List<Integer> shards, Optional<Double> grantSeconds) {}

    /// The owner of a shard.
    ///
    /// @param owner empty: the shard has none at present
    /// @param leaseSeconds until its lease ends, if it is not renewed; 0 without an owner
    /// @param moveTo the node to which it goes next; empty: it stays
    record ClaimView(int number, String owner, long epoch, double leaseSeconds, String moveTo) {}

    /// The answer to an order.
    sealed interface ShardAnswer {
        /// @param shard as it is now
        record Done(ShardView shard) implements ShardAnswer {}

        record UnknownShard(int shard) implements ShardAnswer {}

        /// Nothing has changed.
        ///
        /// @param reason a sentence with the way out
        record Refused(String reason) implements ShardAnswer {}
    }

    /// Deliveries in progress and their limit, of one side of a shard.
    record UseView(int used, int limit) {
        @Override
        public String toString() {
            return used + "/" + limit;
        }
    }

    /// @param mode `normal`, `disabled` or `drained`
    /// @param state `running`, `restarting`, `failed` (its spool cannot be read), `no-space` (it is opened when its
    ///        disk has space), `hung` (a write to its disk does not return),
    ///        `not-opened` (it was `hung`, and is tried again), `elsewhere` (another node has it, or none) or `closed`
    /// @param local deliveries to mailboxes of this server
    /// @param remote deliveries to other servers
    /// @param load of both sides in percent, 0 to 200
    /// @param byHand an operator has set the load of a side
    /// @param restarts after failures, since the start of the server
    /// @param owner the node that owns it; empty without a cluster
    /// @param epoch of the claim; 0 without a cluster
    record ShardView(int number, String folder, String mode, String state, UseView local, UseView remote, double load,
            boolean byHand, long messages, long bytes, int restarts, String owner, long epoch) {}
}
