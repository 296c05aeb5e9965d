package org.slipstream.spool.postgres;

/// A shard that this node owns.
///
/// @param epoch of the claim
public record LogClaim(LogDatabase database, int shard, long epoch) {}
