package org.slipstream.server.operate;

import org.slipstream.admin.operations.HostOperations;
import org.slipstream.qmgr.shard.ShardLoad;

/// A shard as the views of all shards use it. A method may throw while the shard starts again.
public interface ShardPart {
    int number();

    ShardQueue queue();

    HostOperations hosts();

    ShardStandingOrders suspensions();

    ShardLoad load();

    /// True for the shard whose spool has the records that concern all shards.
    default boolean keepsRecords() {
        return false;
    }
}
