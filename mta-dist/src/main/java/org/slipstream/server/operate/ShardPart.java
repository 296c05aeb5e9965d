package org.slipstream.server.operate;

import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.spool.Spool;

import java.io.IOException;

/// A shard as the views of all shards use it, those of other nodes among them. A method may throw while the shard
/// starts again.
public interface ShardPart {
    int number();

    ShardQueue queue();

    ShardLoad load();

    /// The node that owns the shard; empty for a server that is alone.
    default String node() {
        return "";
    }

    /// The records that concern all shards, as the server has them.
    default Spool.CommonRecords commonRecords() throws IOException {
        return queue().commonRecords();
    }

    /// True for the shard whose spool has the records that concern all shards.
    default boolean keepsRecords() {
        return false;
    }
}
