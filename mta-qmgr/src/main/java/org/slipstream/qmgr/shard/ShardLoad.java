package org.slipstream.qmgr.shard;

/// The load of a shard: concurrency in use against concurrency configured, of local mailboxes and of
/// other servers apart (IM-04).
///
/// indimail compares the larger of the two numbers in use and ignores the limits, so a shard with a
/// large limit looks busy. Its manual describes the ratio, which is what this class compares (IM-11).
///
/// @param shard its number, from 1
/// @param empty no message is in the shard
public record ShardLoad(int shard, ConcurrencyInUse local, ConcurrencyInUse remote, ShardMode mode, boolean empty) {
    /// Use of a shard, set by an operator.
    public enum ShardMode {
        /// New mail and deliveries.
        NORMAL,
        /// New mail; deliveries under way end, and none starts (IM-20).
        HELD,
        /// No new mail; deliveries go on (IM-22).
        DISABLED,
        /// No new mail; what is queued moves to other shards or is delivered, then the shard goes.
        DRAINED
    }

    /// The load of both sides in percent, 0 to 200.
    public double percent() {
        return local.percent() + remote.percent();
    }

    /// True when new mail may be placed here.
    public boolean takesMail() {
        return (mode == ShardMode.NORMAL || mode == ShardMode.HELD) && local.limit() + remote.limit() > 0;
    }

    /// The same shard with loads that an operator has set (IM-23).
    public ShardLoad with(ConcurrencyInUse newLocal, ConcurrencyInUse newRemote) {
        return new ShardLoad(shard, newLocal, newRemote, mode, empty);
    }
}
