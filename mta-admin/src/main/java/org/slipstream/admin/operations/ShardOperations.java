package org.slipstream.admin.operations;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// The shards of the server as the API uses them. Called on HTTP threads.
///
/// Each order is on disk before it is answered, so it survives a restart. A load set by hand is
/// not: it ends with the process.
public interface ShardOperations {
    /// All open shards, and those that an operator has drained or disabled and that are closed, by
    /// number.
    List<ShardView> shards() throws IOException;

    /// Opens one more shard, above the highest number.
    ShardAnswer add() throws IOException;

    /// Moves the mail of a shard to the others and closes it.
    ///
    /// @param force also when no other shard takes mail; new mail is deferred then
    ShardAnswer drain(int shard, boolean force) throws IOException;

    /// A shard that was disabled or drained takes mail again.
    ShardAnswer enable(int shard) throws IOException;

    /// A shard takes no new mail; its deliveries go on.
    ///
    /// @param force as with [#drain]
    ShardAnswer disable(int shard, boolean force) throws IOException;

    /// Replaces measured loads by these until the next order or the end of the process.
    ///
    /// @param local empty: as measured
    /// @param remote empty: as measured
    ShardAnswer load(int shard, Optional<UseView> local, Optional<UseView> remote) throws IOException;

    /// The answer to an order.
    sealed interface ShardAnswer {
        /// @param shard as it is now
        record Done(ShardView shard) implements ShardAnswer {}

        record UnknownShard(int shard) implements ShardAnswer {}

        /// Nothing has changed.
        ///
        /// @param reason a sentence with the way out
        record Refused(String reason) implements ShardAnswer {}
    }

    /// Deliveries in progress and their limit, of one side of a shard.
    record UseView(int used, int limit) {
        @Override
        public String toString() {
            return used + "/" + limit;
        }
    }

    /// @param mode `normal`, `disabled` or `drained`
    /// @param state `running`, `restarting`, `failed` (its spool cannot be read), `no-space` (it is opened when its
    ///        disk has space) or `closed`
    /// @param local deliveries to mailboxes of this server
    /// @param remote deliveries to other servers
    /// @param load of both sides in percent, 0 to 200
    /// @param byHand an operator has set the load of a side
    /// @param restarts after failures, since the start of the server
    record ShardView(int number, String folder, String mode, String state, UseView local, UseView remote, double load,
            boolean byHand, long messages, long bytes, int restarts) {}
}
