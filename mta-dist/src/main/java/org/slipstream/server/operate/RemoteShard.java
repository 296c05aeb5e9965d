package org.slipstream.server.operate;

import org.slipstream.core.FailureWords;
import org.slipstream.qmgr.shard.ConcurrencyInUse;
import org.slipstream.qmgr.shard.ShardCall.ShardCallAnswer;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.server.operate.ShardCalls.OwnerQuestion;
import org.slipstream.server.operate.WaitingShard.NotOpenException;

import java.io.IOException;

/// A shard that another node of the cluster owns. A question to its queue is asked there, and an order is carried
/// out there. An owner that does not answer is a fault with its name, as any other shard that does not answer.
public final class RemoteShard implements ShardPart {
    private final int number;
    private final String node;
    private final ShardQueue queue;
    private volatile ShardLoad load;

    /// @param here the name of this node; @param node that of the owner
    public RemoteShard(int number, String here, String node, OwnerQuestion owner) {
        this.number = number;
        this.node = node;
        this.load = new ShardLoad(number, ConcurrencyInUse.NONE, ConcurrencyInUse.NONE, ShardMode.NORMAL, false);
        this.queue = ShardCalls.queue(here, number, message -> asked(owner, message), this::answered);
    }

    private String asked(OwnerQuestion owner, String message) {
        try {
            return owner.ask(message);
        } catch (IOException silent) {
            throw new NotOpenException("node " + node + ", which owns it, does not answer: "
                    + FailureWords.of(silent));
        }
    }

    private void answered(ShardCallAnswer answer) {
        answer.load().ifPresent(now -> load = now);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public String node() {
        return node;
    }

    @Override
    public ShardQueue queue() {
        return queue;
    }

    /// As of its latest answer.
    @Override
    public ShardLoad load() {
        return load;
    }
}
