package org.slipstream.server.shard;

import org.slipstream.admin.HostOperations;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.server.dispatch.ShardQueue;
import org.slipstream.server.dispatch.ShardSuspensions;

/// A shard as the views of all shards use it. A method may throw while the shard starts again.
interface ShardPart {
    int number();

    ShardQueue queue();

    HostOperations hosts();

    ShardSuspensions suspensions();

    ShardLoad load();
}
