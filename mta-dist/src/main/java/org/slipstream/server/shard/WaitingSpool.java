package org.slipstream.server.shard;

import org.slipstream.config.StoredShard;
import org.slipstream.server.operate.OwnShard;
import org.slipstream.server.operate.WaitingShard;
import org.slipstream.server.operate.WaitingShard.WaitReason;

import java.util.Optional;

/// A shard that the server goes on without, until its disk has space or answers.
///
/// @param given the shard whose disk hangs: this process has its spool until the write returns
record WaitingSpool(StoredShard stored, WaitReason why, Optional<Shard> given) {
    static WaitingSpool closed(StoredShard stored, WaitReason why) {
        return new WaitingSpool(stored, why, Optional.empty());
    }

    int number() {
        return stored.number();
    }

    /// True when this server may try to open it.
    boolean mayOpen() {
        return given.isEmpty() && why != WaitReason.ELSEWHERE;
    }

    OwnShard part() {
        return new WaitingShard(number(), why, given.map(Shard::suspensions));
    }
}
