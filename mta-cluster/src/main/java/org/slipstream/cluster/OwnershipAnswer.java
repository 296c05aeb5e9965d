package org.slipstream.cluster;

import java.util.OptionalLong;
import java.util.Set;

/// An answer of the database to an [OwnershipQuestion].
public sealed interface OwnershipAnswer {
    /// To [OwnershipQuestion.Renew].
    ///
    /// @param renewed the shards that this node still owns
    /// @param nameIsOurs false when another server has the name of this node since
    record Renewed(Set<Integer> renewed, boolean nameIsOurs, ClusterLook look) implements OwnershipAnswer {
        public Renewed {
            renewed = Set.copyOf(renewed);
        }
    }

    /// To [OwnershipQuestion.Claim] and [OwnershipQuestion.Make].
    ///
    /// @param epoch empty: another node was quicker
    record Claimed(OptionalLong epoch) implements OwnershipAnswer {}

    /// To the others.
    record Done() implements OwnershipAnswer {}
}
