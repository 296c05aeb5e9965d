package org.slipstream.cluster;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The cluster as one look at the database shows it. All times are by the clock of the database.
///
/// @param shards in order of their numbers
/// @param nodes in order of their names
public record ClusterLook(List<ShardClaim> shards, List<ClusterNode> nodes) {
    /// A node that has renewed its leases within this time is alive.
    static final long ALIVE_MILLIS = 2_500;

    /// A shard, and the node that may write it.
    ///
    /// @param epoch of the present claim, or of the last one
    /// @param owner empty: the last owner has released it
    /// @param leaseMillis until the lease ends; below 0: since it has ended
    /// @param moveTo the node to which it goes next
    public record ShardClaim(int number, long epoch, Optional<String> owner, long leaseMillis,
            Optional<String> moveTo) {
        /// True when any node may claim the shard.
        boolean isFree() {
            return owner.isEmpty() || leaseMillis < 0;
        }

        /// The node whose lease is not over.
        public Optional<String> holder() {
            return isFree() ? Optional.empty() : owner;
        }
    }

    /// A server of the cluster.
    ///
    /// @param address where other nodes reach it
    /// @param version of its program
    /// @param silentMillis since it renewed its leases
    /// @param upMillis since it started
    public record ClusterNode(String name, String address, String version, long silentMillis, long upMillis) {
        public boolean isAlive() {
            return silentMillis <= ALIVE_MILLIS;
        }
    }

    public ClusterLook {
        shards = shards.stream().sorted(Comparator.comparingInt(ShardClaim::number)).toList();
        nodes = nodes.stream().sorted(Comparator.comparing(ClusterNode::name)).toList();
    }

    /// The node with this name.
    public Optional<ClusterNode> node(String name) {
        return nodes.stream().filter(each -> each.name().equals(name)).findFirst();
    }

    /// The shard with this number.
    public Optional<ShardClaim> shard(int number) {
        return shards.stream().filter(each -> each.number() == number).findFirst();
    }

    /// The numbers of the shards that a node owns.
    public List<Integer> heldBy(String name) {
        return shards.stream().filter(each -> each.holder().equals(Optional.of(name))).map(ShardClaim::number)
                .toList();
    }
}
