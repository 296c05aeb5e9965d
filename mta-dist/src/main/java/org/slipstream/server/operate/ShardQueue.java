package org.slipstream.server.operate;

import org.slipstream.admin.operations.Operations;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.MessageTrace;
import org.slipstream.core.queue.MessageTrace.TraceResult;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.qmgr.QueueQueries.DeliveryCounts;
import org.slipstream.server.intake.EtrnRequests;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.QueueIndex.Found;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// The queue of one shard, with the steps from which the queue of all shards is made: ids are found
/// in each shard and merged, and only then messages are shown or changed.
public interface ShardQueue extends Operations, EtrnRequests.Queue {
    /// The next matching messages after `after`, in order of id, at most `limit`.
    Found find(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException;

    /// As [#find], but only messages that the order would change.
    Found toBeOrdered(MessageOrder order, QueueFilter filter, Optional<QueueId> after, int limit) throws IOException;

    List<MessageView> views(List<QueueId> ids) throws IOException;

    /// The ages of these messages.
    ///
    /// @param common records, which mark destinations
    List<ShapeRow> shape(ShapeBy by, List<QueueId> ids, Spool.CommonRecords common) throws IOException;

    /// The records of this spool that belong to no message.
    Spool.CommonRecords commonRecords() throws IOException;

    void order(MessageOrder order, List<QueueId> ids) throws IOException;

    /// The deliveries in memory.
    DeliveryCounts deliveryCounts() throws IOException;

    /// The failures of this shard. Reads no index and no log.
    List<TroubleView> troubles() throws IOException;

    /// The number of messages in the queue.
    long total() throws IOException;

    /// The events of messages, without the present state of the queue. All shards have the same history.
    TraceResult history(String wanted, int limit) throws IOException;

    /// The same story with the present state; empty when the message is not in this queue.
    Optional<MessageTrace> present(MessageTrace story) throws IOException;

    /// The story of a message that the history does not know; empty when it is not in this queue.
    Optional<MessageTrace> queued(QueueId id) throws IOException;
}
