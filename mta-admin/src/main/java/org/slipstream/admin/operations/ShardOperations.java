package org.slipstream.admin.operations;

import org.slipstream.core.order.ShardOrder;

import java.io.IOException;
import java.util.List;

/// The shards of the server as the API uses them. Called on HTTP threads.
///
/// Each order is on disk before it is answered, so it survives a restart. A load set by hand is
/// not: it ends with the process.
public interface ShardOperations {
    /// All open shards, and those that an operator has drained or disabled and that are closed, by
    /// number.
    List<ShardView> shards() throws IOException;

    /// Carries out an order.
    ///
    /// @param shard its number; of no use for [ShardOrder.Add]
    ShardAnswer order(int shard, ShardOrder order) throws IOException;

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
    ///        disk has space), `hung` (a write to its disk does not return),
    ///        `not-opened` (it was `hung`, and is tried again) or `closed`
    /// @param local deliveries to mailboxes of this server
    /// @param remote deliveries to other servers
    /// @param load of both sides in percent, 0 to 200
    /// @param byHand an operator has set the load of a side
    /// @param restarts after failures, since the start of the server
    record ShardView(int number, String folder, String mode, String state, UseView local, UseView remote, double load,
            boolean byHand, long messages, long bytes, int restarts) {}
}
