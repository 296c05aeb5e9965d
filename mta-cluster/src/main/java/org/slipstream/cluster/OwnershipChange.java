package org.slipstream.cluster;

/// A change of what this node owns.
public sealed interface OwnershipChange {
    int shard();

    /// This node owns the shard under this epoch, and opens it.
    record Taken(int shard, long epoch) implements OwnershipChange {}

    /// Another node owns the shard, or may own it. Nothing more of it is delivered or written here.
    record Lost(int shard, long epoch) implements OwnershipChange {}

    /// The shard goes to another node: its deliveries end, its spool is closed, and then
    /// [Ownership#closed] releases it.
    record Leaving(int shard, long epoch, String to) implements OwnershipChange {}
}
