package org.slipstream.server.operate;

import org.slipstream.admin.operations.SuspensionOperations;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;

import java.io.IOException;

/// The suspensions of one shard, with the steps of an order for all shards: one shard keeps the
/// record, and each shard carries it out.
public interface ShardSuspensions extends SuspensionOperations {
    /// Returns when the record is on disk.
    void keep(Suspension suspension) throws IOException;

    /// Returns when the record is gone from the disk.
    void forget(SuspensionScope scope, String name) throws IOException;

    /// Suspends the mail of this shard.
    void begin(Suspension suspension) throws IOException;

    /// False when this shard has no such suspension.
    boolean end(SuspensionScope scope, String name) throws IOException;
}
