package org.slipstream.qmgr.place;

import org.slipstream.qmgr.event.HostRow;

import java.util.List;

/// Receives the changes of host records that must survive a restart. Called on the queue manager's
/// thread; it only enqueues.
@FunctionalInterface
public interface HostMemory {
    /// Stores nothing.
    HostMemory NONE = _ -> {};

    /// @param changes the latest change for each host and kind of record
    void changed(List<HostRow.Change> changes);
}
