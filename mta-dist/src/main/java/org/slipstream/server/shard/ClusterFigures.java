package org.slipstream.server.shard;

/// Figures of a node, for the monitor.
///
/// @param owned shards that it owns now
/// @param claimed shards that it has claimed since its start
/// @param left shards that it has lost or given away since its start
/// @param alive nodes that renew their leases, and @param silent those that do not
/// @param grants the node holds grants, so its deliveries may start
public record ClusterFigures(int owned, long claimed, long left, long alive, long silent,
        boolean grants) {}
