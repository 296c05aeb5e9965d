package org.slipstream.qmgr.event;

import org.slipstream.core.Address;
import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.order.HostOrder;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// The events of the queue manager: its complete input. Every [QmgrOrder] that has an answer has
/// exactly one here.
public sealed interface QmgrEvent {
    /// A message was committed to the spool. The event may be dropped when the inbox is full: a
    /// scan finds the message.
    record MessageQueued(MessageSummary message) implements QmgrEvent {}

    /// Answers [QmgrOrder.Scan].
    ///
    /// @param found due messages of the scanned queue; their next attempt on disk is already
    /// postponed, so that a crash does not retry them in a tight loop
    /// @param more true when more are due than requested
    /// @param nextDueMillis time at which the earliest other message of this queue is due, empty
    /// when there is none
    record ScanDone(List<MessageSummary> found, boolean more, OptionalLong nextDueMillis) implements QmgrEvent {}

    /// Answers [QmgrOrder.ReadRecipients].
    ///
    /// @param recipients open ones, in order of their number
    /// @param end true when no open recipient has a higher number
    /// @param last their last outcomes, as far as they have any and the order asked for them
    /// @param suppressed the outcomes of those that get no mail
    record RecipientsRead(QueueId id, List<Recipient> recipients, boolean end, List<RecipientOutcome> last,
            List<RecipientOutcome> suppressed)
            implements
                QmgrEvent {
        public RecipientsRead(QueueId id, List<Recipient> recipients, boolean end) {
            this(id, recipients, end, List.of(), List.of());
        }
    }

    /// Answers [QmgrOrder.ReadRecipients] when the spool's records of this message are corrupt. The
    /// spool has quarantined the message.
    record MessageDamaged(QueueId id, String reason) implements QmgrEvent {}

    /// Answers [QmgrOrder.FindRoute].
    record RouteKnown(String domain, Route route) implements QmgrEvent {}

    /// Answers [QmgrOrder.FindRoute] when there is no route: 4xx defers (DNS failure), 5xx bounces
    /// (no such domain, null MX).
    record RouteFailed(String domain, Reply reason) implements QmgrEvent {}

    /// Events of connections. Those of one connection arrive in the order in which they occurred.
    sealed interface OfConnection extends QmgrEvent {
        long connection();
    }

    /// Answers [QmgrOrder.Open]: the host has sent its greeting and the connection is ready for a
    /// delivery.
    record ConnectionReady(long connection) implements OfConnection {}

    /// Answers [QmgrOrder.Open]: the connection or its handshake failed. The connection is closed.
    ///
    /// @param ours a local failure, which says nothing about the host
    /// @param retryAfterMillis the delay that the host requested; it can only lengthen a dead time
    /// @param phase that failed, if known
    record ConnectionFailed(long connection, Reply reason, String remote, boolean ours,
            OptionalLong retryAfterMillis, Optional<QueuePhase.Code> phase) implements OfConnection {
        /// A failure in a phase that is not known.
        public ConnectionFailed(long connection, Reply reason, String remote, boolean ours,
                OptionalLong retryAfterMillis) {
            this(connection, reason, remote, ours, retryAfterMillis, Optional.empty());
        }

        /// A failure of the host without a requested delay.
        public ConnectionFailed(long connection, Reply reason, String remote) {
            this(connection, reason, remote, false, OptionalLong.empty());
        }
    }

    /// Answers [QmgrOrder.Deliver]. When a connection breaks, each delivery in progress on it has
    /// an answer of its own, and the first of them ends the connection.
    record DeliveryDone(DeliveryResult result) implements OfConnection {
        @Override
        public long connection() {
            return result.connection();
        }
    }

    /// An idle connection was closed by the remote host. This is not a failure. If it crosses a
    /// [QmgrOrder.Deliver], the answer to that follows.
    record ConnectionLost(long connection, String reason) implements OfConnection {}

    /// The number of pipelined deliveries that keep this connection busy.
    record ConnectionDepth(long connection, int deliveries) implements OfConnection {}

    /// The remote host of this connection fails when several deliveries are pipelined.
    record PipelinesBadly(long connection, String what) implements OfConnection {}

    /// Answers [QmgrOrder.RecordOutcome]: the outcome is on disk.
    record OutcomeRecorded(QueueId id, long record) implements QmgrEvent {}

    /// Answers [QmgrOrder.Notify]: the report is in the spool (or no recipient requires it), or it
    /// failed and is to be repeated later.
    record Notified(QmgrOrder.Notify order, boolean done) implements QmgrEvent {
        public QueueId id() {
            return order.id();
        }
    }

    /// Answers [QmgrOrder.Defer], [QmgrOrder.Remove], [QmgrOrder.SetHold], [QmgrOrder.TakeUp] and
    /// [QmgrOrder.MakeDue]: the spool has executed it.
    ///
    /// @param id empty for a [QmgrOrder.MakeDue] without a message id
    record Filed(Optional<QueueId> id) implements QmgrEvent {}

    /// Answers [QmgrOrder.Instruct]: the instruction is on disk.
    record Instructed(QueueId id, long ticket) implements QmgrEvent {}

    /// Answers [QmgrOrder.MoveOut].
    ///
    /// @param moved the message is in another shard and no longer in this spool; false: it stays here
    /// and continues as before
    record MovedOut(QueueId id, boolean moved) implements QmgrEvent {}

    /// A message came from another shard. It is on disk here and nowhere else.
    ///
    /// @param nextAttemptMillis when it is due
    record MovedIn(MessageSummary message, long nextAttemptMillis) implements QmgrEvent {}

    /// The time of [org.slipstream.qmgr.QueueManager#nextAlarmMillis] has come.
    record Alarm() implements QmgrEvent {}

    /// Announcements were dropped at a full inbox. The messages are on disk and due: scan when
    /// there is room.
    record ArrivalsMissed() implements QmgrEvent {}

    /// The server is shutting down: nothing new starts; running deliveries finish and are recorded.
    record Stopping() implements QmgrEvent {}

    /// The operator has changed the settings. Deliveries that run finish as they began; the next
    /// choice follows the new settings. Mail that was deferred keeps its next attempt.
    record SettingsChanged(NewSettings settings) implements QmgrEvent {}

    /// The settings of a queue manager. Their record is beside the queue manager, because events do
    /// not know the packages that use them.
    interface NewSettings {}

    /// The knowledge of other shards about hosts: they failed, work again, or were suspended. A record
    /// here that is newer stays.
    record HostsLearned(List<HostRow.Change> changes) implements QmgrEvent {
        public HostsLearned {
            changes = List.copyOf(changes);
        }
    }

    /// An operator holds this shard, or lets it deliver again. Held, it takes up and routes mail, and starts no
    /// delivery.
    record ShardHeld(int shard, boolean held) implements QmgrEvent {}

    /// Until now the limits of the server belonged to this shard. From now on it shares them with others:
    /// it holds the lanes that are in use. Answered by [QmgrOrder.HoldLeases]. It happens again when the grants of a
    /// node have ended: lanes that are not in use, and questions, are forgotten.
    ///
    /// @param transports limits of this shard alone, by transport
    record LimitsShared(Map<String, Integer> transports) implements QmgrEvent {}

    /// Events of the lanes that a shard holds of a limit. They arrive in the order in which the
    /// broker of the shards made them.
    sealed interface LeaseEvent extends QmgrEvent {
        LimitKey key();

        int lanes();
    }

    /// Answers [QmgrOrder.AskLease], in one or several parts: the shard holds as many more lanes.
    record LeaseGranted(LimitKey key, int lanes) implements LeaseEvent {}

    /// Another shard waits for lanes of this limit. The shard returns as many as soon as they are
    /// free, and until its next grant every lane that it does not need.
    ///
    /// @param lanes 0: only those that it does not need
    record LeaseRecalled(LimitKey key, int lanes) implements LeaseEvent {}

    /// A command of an operator.
    ///
    /// @param ticket repeated in [QmgrOrder.Answered]; [#NO_TICKET]: no answer is required
    record Operator(OperatorCommand command, long ticket) implements QmgrEvent {
        public static final long NO_TICKET = 0;

        public Operator(OperatorCommand command) {
            this(command, NO_TICKET);
        }
    }

    /// The commands of an operator.
    sealed interface OperatorCommand {
        /// An order for one message, inside or outside the active set.
        record OfMessage(QueueId id, MessageOrder order) implements OperatorCommand {}

        /// An order for one host.
        record OfHost(HostKey host, HostOrder order) implements OperatorCommand {}

        /// Retries waiting mail now: everything, or one destination domain.
        record FlushAll(Optional<String> domain) implements OperatorCommand {}

        /// Verifies that a host accepts mail for this address. Answered by [QmgrOrder.Verified].
        record Verify(Address address) implements OperatorCommand {}

        /// Puts an order into force that stays: a suspension, the freeze, or another limit.
        record Begin(StandingOrder order) implements OperatorCommand {}

        /// Ends such an order.
        record End(String kind, String name) implements OperatorCommand {}
    }
}
