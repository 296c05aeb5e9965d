package org.slipstream.lab;

import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.trace.QmgrObserver;

/// Observes the events of a [World], the decisions of the queue manager and its orders. An event is
/// reported first, then the decisions that follow from it, then the orders.
public interface WorldObserver extends QmgrObserver {
    /// Does nothing.
    WorldObserver NONE = new WorldObserver() {};

    /// All events of this time and all orders that follow from them are complete.
    ///
    /// @param hosts what is known of hosts now
    default void settled(long nowMillis, DestDb hosts) {}

    /// A shard starts, perhaps again. A world without shards has one, with the number 1.
    default void started(long nowMillis, int shard) {}

    /// A shard was removed.
    default void closed(long nowMillis, int shard) {}

    /// Events and decisions are those of this shard, until another one is named.
    default void ofShard(int shard) {}

    /// The server was killed. Its queue manager starts again, with numbers of deliveries from 1.
    default void crashed(long nowMillis) {}
}
