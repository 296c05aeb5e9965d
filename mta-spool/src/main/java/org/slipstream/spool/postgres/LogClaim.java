package org.slipstream.spool.postgres;

/// A shard that this node owns.
///
/// @param epoch of the claim
/// @param lost runs when a write finds that the shard has another owner, perhaps several times; must not block
public record LogClaim(LogDatabase database, int shard, long epoch, Runnable lost) {
    public LogClaim(LogDatabase database, int shard, long epoch) {
        this(database, shard, epoch, () -> {});
    }
}
