package org.slipstream.server.operate;

import org.slipstream.admin.operations.StandingOrders;
import org.slipstream.core.queue.StandingOrder;

import java.io.IOException;

/// The standing orders of one shard, with the steps of an order for all shards: one shard keeps the
/// record, and each shard carries it out.
public interface ShardStandingOrders extends StandingOrders {
    /// Returns when the record is on disk.
    void keep(StandingOrder order) throws IOException;

    /// Returns when the record is gone from the disk.
    void forget(String kind, String name) throws IOException;

    /// Puts the order into force in this shard.
    void beginHere(StandingOrder order) throws IOException;

    /// False when this shard has no such order.
    boolean endHere(String kind, String name) throws IOException;
}
