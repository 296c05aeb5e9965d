package org.slipstream.qmgr.event;

import org.slipstream.core.Address;
import org.slipstream.core.DeliveryResult;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// All that the world can tell the queue manager. Every [QmgrOrder] has exactly one answer among these.
public sealed interface QmgrEvent {
    /// A message was committed to the spool just now. May be dropped when the inbox is full: a scan finds the message.
    record MessageQueued(MessageSummary message) implements QmgrEvent {}

    /// Answers [QmgrOrder.Scan].
    ///
    /// @param found due messages of the queue that was scanned; their next attempt has already been moved forward on disk, so that a crash does not
    /// loop tightly over them
    /// @param more true when more are due than were asked for
    /// @param nextDueMillis when the earliest of the others in this queue is due, empty when nothing else waits there
    record ScanDone(List<MessageSummary> found, boolean more, OptionalLong nextDueMillis) implements QmgrEvent {}

    /// Answers [QmgrOrder.ReadRecipients].
    ///
    /// @param recipients open ones, in order of their number
    /// @param end true when no open recipient has a higher number
    record RecipientsRead(QueueId id, List<Recipient> recipients, boolean end) implements QmgrEvent {}

    /// Answers [QmgrOrder.ReadRecipients] when the spool's rows for this message make no sense. The message has been
    /// set aside and is no longer ours.
    record MessageDamaged(QueueId id, String reason) implements QmgrEvent {}

    /// Answers [QmgrOrder.FindRoute].
    record RouteKnown(String domain, Route route) implements QmgrEvent {}

    /// Answers [QmgrOrder.FindRoute] when there is no way: 4xx defers (DNS trouble), 5xx returns (no such domain, null MX).
    record RouteFailed(String domain, Reply reason) implements QmgrEvent {}

    /// What connections tell: the family of events that go to the seating. Those of one connection come in the order in which things
    /// happened.
    sealed interface OfConnection extends QmgrEvent {
        long connection();
    }

    /// Answers [QmgrOrder.Open]: the other side has greeted and is ready for a delivery.
    record ConnectionReady(long connection) implements OfConnection {}

    /// Answers [QmgrOrder.Open]: the host could not be talked to. The connection is gone.
    ///
    /// @param ours a failure of our own, which says nothing about the host
    /// @param retryAfterMillis when the host wants to be asked again; may only lengthen a pause
    record ConnectionFailed(long connection, Reply reason, String remote, boolean ours,
            OptionalLong retryAfterMillis) implements OfConnection {
        /// The host's failure, without a wish.
        public ConnectionFailed(long connection, Reply reason, String remote) {
            this(connection, reason, remote, false, OptionalLong.empty());
        }
    }

    /// Answers [QmgrOrder.Deliver]. Where a connection breaks, each delivery that was under way on it has an answer of its own, and the first
    /// of them ends the connection.
    record DeliveryDone(DeliveryResult result) implements OfConnection {
        @Override
        public long connection() {
            return result.connection();
        }
    }

    /// An idle connection went away by itself. Not a failure of anything. Where it crosses a [QmgrOrder.Deliver], the answer to that
    /// comes behind it.
    record ConnectionLost(long connection, String reason) implements OfConnection {}

    /// So many deliveries under way at once keep this connection busy.
    record ConnectionDepth(long connection, int deliveries) implements OfConnection {}

    /// The peer of this connection was seen to break when several deliveries were under way.
    record PipelinesBadly(long connection, String what) implements OfConnection {}

    /// Answers [QmgrOrder.RecordOutcome]: it is on disk.
    record OutcomeRecorded(QueueId id, long record) implements QmgrEvent {}

    /// Answers [QmgrOrder.Notify]: the report is in the spool (or was not wanted by anybody), or could not be made and is to be tried again
    /// later.
    record Notified(QueueId id, QmgrOrder.NoticeKind kind, boolean done) implements QmgrEvent {}

    /// Answers [QmgrOrder.Defer], [QmgrOrder.Remove], [QmgrOrder.SetHold] and [QmgrOrder.MakeDue]: the spool has it.
    ///
    /// @param id empty for a [QmgrOrder.MakeDue] that named no message
    record Filed(Optional<QueueId> id) implements QmgrEvent {}

    /// The time that [org.slipstream.qmgr.QueueManager#nextAlarmMillis] asked for has come.
    record Alarm() implements QmgrEvent {}

    /// Arrivals were turned away at a full inbox. They are on disk and due: scan when there is room.
    record ArrivalsMissed() implements QmgrEvent {}

    /// The server is about to stop: nothing new is begun, what runs is finished and recorded.
    record Stopping() implements QmgrEvent {}

    /// An operator gives a command.
    ///
    /// @param ticket comes back with [QmgrOrder.Answered]; [#NO_TICKET]: no answer is wanted
    record Operator(OperatorCommand command, long ticket) implements QmgrEvent {
        public static final long NO_TICKET = 0;

        public Operator(OperatorCommand command) {
            this(command, NO_TICKET);
        }
    }

    /// The commands of an operator. Each is fulfilled for messages inside and outside the active set.
    sealed interface OperatorCommand {
        /// Try now what waits for its time: everything, one destination domain, or one message.
        record Flush(Optional<QueueId> id, Optional<String> domain) implements OperatorCommand {}

        /// Stop delivering this message, keep it.
        record Hold(QueueId id) implements OperatorCommand {}

        /// Undo [Hold] and try now.
        record Release(QueueId id) implements OperatorCommand {}

        /// Would mail for this address be taken? Answered by [QmgrOrder.Verified].
        record Verify(Address address) implements OperatorCommand {}

        /// Forget this message without a report.
        record Delete(QueueId id) implements OperatorCommand {}
    }
}
