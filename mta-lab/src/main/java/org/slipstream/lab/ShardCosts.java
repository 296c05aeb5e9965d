package org.slipstream.lab;

/// The time that the parts of a shard are at work, in ticks of the model's clock. With zeros a part
/// answers at once, which is the usual simulation.
///
/// @param perEvent of the queue manager's thread, which handles one event at a time
/// @param perRecord of the log's thread for each record that it writes
/// @param sync of the disk for each group of records; every record that came since the last group
/// is in it
/// @param disks for the logs of all shards, in turn; the syncs of one disk follow each other
/// @param perArrival of a processor of the listener for each message
/// @param listenerProcessors that accept mail
public record ShardCosts(long perEvent, long perRecord, long sync, int disks, long perArrival,
        int listenerProcessors) {
    /// No part takes any time but that of [Scenario.OwnServer].
    public static final ShardCosts NONE = new ShardCosts(0, 0, 0, 1, 0, 1);

    public ShardCosts {
        if (perEvent < 0 || perRecord < 0 || sync < 0 || disks < 1 || perArrival < 0 || listenerProcessors < 1) {
            throw new IllegalArgumentException("a cost below zero, or no disk or processor");
        }
    }

    boolean groupsCommits() {
        return sync > 0;
    }
}
