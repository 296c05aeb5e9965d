package org.slipstream.cluster;

import java.util.Map;

/// A statement for the database. Each compares a lease with the clock of the database only, and each may be
/// repeated: an answer that is lost leaves a state that the next look shows.
public sealed interface OwnershipQuestion {
    /// Longer leases for these claims, and a look at the cluster.
    ///
    /// @param epochs by number of the shard
    record Renew(Map<Integer, Long> epochs) implements OwnershipQuestion {
        public Renew {
            epochs = Map.copyOf(epochs);
        }
    }

    /// A free shard, under the next epoch.
    record Claim(int shard) implements OwnershipQuestion {}

    /// A shard that has never been. Another node may make one with this number first.
    record Make(int shard) implements OwnershipQuestion {}

    /// A shard of a node with several, for this node, which has none.
    record AskFor(int shard, String owner) implements OwnershipQuestion {}

    /// The end of a claim, before its lease ends.
    record Release(int shard, long epoch) implements OwnershipQuestion {}
}
