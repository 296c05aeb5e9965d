package org.slipstream.server.operate;

import org.slipstream.admin.operations.HostOperations;

/// A shard of this node. Hosts and standing orders are asked on each node for itself: what one node learns about a
/// host, all know, and an order that stays in force holds on each node.
public interface OwnShard extends ShardPart {
    HostOperations hosts();

    ShardStandingOrders suspensions();
}
