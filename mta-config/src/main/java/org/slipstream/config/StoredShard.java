package org.slipstream.config;

import org.slipstream.core.SettingsRecords;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.spool.SpoolConfig;

import java.nio.file.Path;

/// A shard as [ShardStore] keeps it.
///
/// @param closed it was empty and is not opened at a start; an operator's `enable` opens it again
/// @param folder absolute, where it was opened
public record StoredShard(int number, ShardMode mode, boolean closed, Path folder) {
    /// A shard that is closed and that an operator has drained or disabled. Its folder may be gone
    /// with its disk, so it is opened again by an order only.
    public boolean isRetired() {
        return closed && mode != ShardMode.NORMAL;
    }

    /// The settings of its spool.
    public SpoolConfig spool(SpoolConfig common) {
        return SettingsRecords.with(common, "directory", folder);
    }

    public StoredShard opened() {
        return new StoredShard(number, mode, false, folder);
    }

    public StoredShard asClosed() {
        return new StoredShard(number, mode, true, folder);
    }

    public StoredShard at(Path otherFolder) {
        return new StoredShard(number, mode, closed, otherFolder);
    }

    public StoredShard with(ShardMode newMode) {
        return new StoredShard(number, newMode, closed, folder);
    }
}
