package org.slipstream.qmgr.shard;

import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.List;

/// One message between a node and the broker of the cluster.
public sealed interface NodeItem {
    /// A node asks for lanes, returns some, or tells which it uses.
    record AskedLanes(QmgrOrder.LeaseOrder order) implements NodeItem {}

    /// The broker grants lanes or recalls some.
    record LentLanes(QmgrEvent.LeaseEvent event) implements NodeItem {}

    /// A node has learned about hosts; the broker passes it on to the others.
    record LearnedHosts(List<HostRow.Change> changes) implements NodeItem {
        public LearnedHosts {
            changes = List.copyOf(changes);
        }
    }
}
