package org.slipstream.qmgr.place;

import java.util.List;

/// Hears what is to be remembered of hosts over a restart. Called on the queue manager's thread; only enqueues.
@FunctionalInterface
public interface HostMemory {
    /// Remembers nothing.
    HostMemory NONE = _ -> {};

    /// @param changes one for each host and kind of record, the last word of each
    void changed(List<HostRow.Change> changes);
}
