package org.slipstream.server.operate;

import org.slipstream.admin.operations.HostOperations;
import org.slipstream.qmgr.shard.ConcurrencyInUse;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;

import java.util.Optional;

/// A shard that is not open because of its disk, or because another node owns it. Each question fails with that reason,
/// so views name the shard, and no answer hides that it may have the message.
///
/// @param orders keeps standing orders until the disk has them; empty when the spool is not open at all
public record WaitingShard(int number, WaitReason why, Optional<ShardStandingOrders> orders) implements OwnShard {
    /// The reason. The word of `mta shard list` is the name.
    public enum WaitReason {
        /// It was full at the start.
        NO_SPACE("its disk had no space to open it; free some, and it is opened within a minute (mta shard list)"),
        /// A write has not returned, so this process still has the spool.
        HUNG("a write to its disk does not return; its mail waits, and it is opened again when its disk answers"
                + " (mta shard list)"),
        /// The disk hung and answers again, and the spool could not be opened yet.
        NOT_OPENED("its disk hung and it could not be opened again yet; this is tried each minute (mta shard list)"),
        /// A shard of a cluster between two owners.
        NO_OWNER("no node of the cluster owns it at present; one claims it within seconds (mta cluster status)"),
        /// The last shard of this node in a cluster.
        ELSEWHERE("another node of the cluster owns it, and this node has no shard at present (mta cluster status)");

        private final String text;

        WaitReason(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }

    /// The supervisor has told it in the log.
    static final class NotOpenException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotOpenException(WaitReason why) {
            super(why.text());
        }

        NotOpenException(String why) {
            super(why);
        }
    }

    @Override
    public ShardQueue queue() {
        throw new NotOpenException(why);
    }

    @Override
    public HostOperations hosts() {
        throw new NotOpenException(why);
    }

    @Override
    public ShardStandingOrders suspensions() {
        return orders.orElseThrow(() -> new NotOpenException(why));
    }

    @Override
    public ShardLoad load() {
        return new ShardLoad(number, ConcurrencyInUse.NONE, ConcurrencyInUse.NONE, ShardMode.DISABLED, false);
    }
}
