package org.slipstream.server.operate;

import org.slipstream.admin.operations.HostOperations;
import org.slipstream.qmgr.shard.ConcurrencyInUse;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;

/// A shard that is not open because its disk has no space. Each question fails with that reason, so
/// views name the shard, and no answer hides that it may have the message.
public record WaitingShard(int number) implements ShardPart {
    public static final String WHY = "its disk had no space to open it; free some, and it is opened within a minute"
            + " (mta shard list)";

    /// The supervisor has told it in the log.
    static final class NotOpenException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotOpenException() {
            super(WHY);
        }
    }

    @Override
    public ShardQueue queue() {
        throw new NotOpenException();
    }

    @Override
    public HostOperations hosts() {
        throw new NotOpenException();
    }

    @Override
    public ShardStandingOrders suspensions() {
        throw new NotOpenException();
    }

    @Override
    public ShardLoad load() {
        return new ShardLoad(number, ConcurrencyInUse.NONE, ConcurrencyInUse.NONE, ShardMode.DISABLED, false);
    }
}
