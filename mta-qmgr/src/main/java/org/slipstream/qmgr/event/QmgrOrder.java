package org.slipstream.qmgr.event;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Delivery;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// The orders of the queue manager: its complete output. Orders are data; the dispatcher that
/// accepts them only enqueues.
public sealed interface QmgrOrder {
    /// Finds due messages of one queue, oldest due first, and postpones their next attempt to
    /// `leaseUntilMillis` on disk before it answers. Held messages belong to the deferred queue and
    /// are found only when they are older than their lifetime.
    ///
    /// @param createdBeforeMillis held messages created before this have expired
    /// @param furthestMillis the latest permitted next attempt, unless the sender requested a later
    /// one (RFC 4865): messages deferred for longer, because the clock went back, are moved to this
    /// time. `Long.MAX_VALUE`: no check
    record Scan(QueueName queue, int limit, long nowMillis, long leaseUntilMillis, long createdBeforeMillis,
            long furthestMillis)
            implements
                QmgrOrder {}

    /// Reads open recipients with a number above `after`.
    ///
    /// @param sender of the message; empty for a report
    /// @param withReplies the answer has the last outcome of each
    record ReadRecipients(QueueId id, Optional<Address> sender, int after, int limit, boolean withReplies)
            implements
                QmgrOrder {
        public ReadRecipients(QueueId id, int after, int limit) {
            this(id, Optional.empty(), after, limit, false);
        }
    }

    /// Finds the route of a domain.
    ///
    /// @param domain lower case
    /// @param id the first message that needs the route; others may wait for the same answer
    record FindRoute(String domain, QueueId id) implements QmgrOrder {}

    /// Opens a connection.
    ///
    /// @param route to one host or mailbox
    record Open(long connection, Route route) implements QmgrOrder {}

    /// Delivers one message to some of its recipients over a ready connection. Several deliveries
    /// may be in progress there.
    record Deliver(long connection, Delivery delivery) implements QmgrOrder {
        public QueueId id() {
            return delivery.id();
        }

        public Route route() {
            return delivery.route();
        }

        public List<Recipient> recipients() {
            return delivery.recipients();
        }
    }

    /// Closes the connection. It has no answer; the number is not used again.
    record Close(long connection) implements QmgrOrder {}

    /// Records the outcomes of recipients. The entry may be dropped only after
    /// [QmgrEvent.OutcomeRecorded].
    ///
    /// @param record a number that the answer repeats
    /// @param recipients of the outcomes, in the same order, for logs
    /// @param attempt true when it counts as an attempt of the message: the first record of this
    /// activation with a recipient that was tried and deferred
    record RecordOutcome(QueueId id, long record, List<Recipient> recipients, List<RecipientOutcome> outcomes,
            boolean attempt)
            implements
                QmgrOrder {}

    /// Notifies the sender: composes a report from the spool's data and enqueues it.
    ///
    /// @param collected the failures of a message that waits for its next attempt. It may be active again,
    ///     with a report of its own, before the answer comes
    record Notify(QueueId id, ReportKind kind, boolean collected) implements QmgrOrder {
        public Notify(QueueId id, ReportKind kind) {
            this(id, kind, false);
        }

        /// For the log of orders.
        public String word() {
            return collected ? "collected" : kind.word();
        }
    }

    /// Orders for a message that left the active set, or was never in it. Each has one answer: [QmgrEvent.Filed],
    /// or [QmgrEvent.MovedOut].
    sealed interface FilingOrder extends QmgrOrder {}

    /// Defers the message until its next attempt.
    record Defer(QueueId id, long nextAttemptMillis) implements FilingOrder {}

    /// Removes the message: every recipient is finished and reported, or an operator deleted it.
    ///
    /// @param reason for the log: `sent`, `bounced`, `deleted` …
    record Remove(QueueId id, String reason) implements FilingOrder {
        /// The reason of an operator who deletes a message.
        public static final String DELETED = "deleted";

        public boolean isDeletion() {
            return reason.equals(DELETED);
        }
    }

    /// Orders to the broker that divides the limits of the server among its shards. With one shard
    /// there are none.
    sealed interface LeaseOrder extends QmgrOrder {}

    /// Answers [QmgrEvent.LimitsShared] with all lanes that this shard uses. It comes before any other
    /// order about lanes.
    record HoldLeases(List<LanesInUse> inUse) implements LeaseOrder {}

    /// @param limit the limit as this shard knows it; less than the lanes when it has shrunk
    record LanesInUse(LimitKey key, int limit, int lanes) {}

    /// Asks for lanes of a limit. Answered by [QmgrEvent.LeaseGranted], possibly later and in parts.
    ///
    /// @param limit the limit as this shard knows it; of a destination its window
    /// @param lanes all that are missing; the number replaces that of an earlier order
    record AskLease(LimitKey key, int limit, int lanes) implements LeaseOrder {}

    /// Returns lanes of a limit. It has no answer.
    record ReturnLease(LimitKey key, int lanes) implements LeaseOrder {}

    /// Operator: sets or clears the hold; a released message is due at once.
    record SetHold(QueueId id, boolean held) implements FilingOrder {}

    /// Operator: records a lasting instruction. It concerns a message in any state.
    ///
    /// @param ticket repeated in the answer
    record Instruct(QueueId id, Instruction instruction, long ticket) implements QmgrOrder {}

    /// Operator: takes the message off hold and makes it due, even before the time that its sender
    /// requested.
    record TakeUp(QueueId id, long nowMillis) implements FilingOrder {}

    /// Moves the message to another shard. Nothing of it is in progress here.
    ///
    /// @param dueMillis its next attempt; empty: the spool has that time
    record MoveOut(QueueId id, OptionalLong dueMillis) implements FilingOrder {}

    /// Answers [QmgrEvent.Operator], exactly once for each ticket. It has no answer itself.
    record Answered(long ticket, Result result) implements QmgrOrder {}

    /// Answers [QmgrEvent.OperatorCommand.Verify]. It has no answer itself.
    ///
    /// @param route transport and next hop; empty when there is none
    /// @param outcome the host's reply to RCPT, or the local reason
    record Verified(long ticket, String route, Outcome outcome) implements QmgrOrder {}

    /// The effect of an operator's command.
    enum Result {
        /// The spool has the effect, or the message ended before.
        FILED,
        /// Nothing to do: the message is active and stays so, or it could not be moved.
        UNCHANGED,
        /// The message is in another shard now. Any other command than a move had no effect.
        MOVED,
        /// The spool processes many messages, in portions.
        BEGUN
    }

    /// Operator: makes all waiting mail, the mail of one domain, the mail with one last outcome, or one
    /// message due at `nowMillis`.
    ///
    /// @param reply of the last outcome of a waiting recipient: the text of its reply, or its remote
    record MakeDue(Optional<QueueId> id, Optional<String> domain, Optional<String> reply, long nowMillis)
            implements
                FilingOrder {
        public MakeDue(Optional<QueueId> id, Optional<String> domain, long nowMillis) {
            this(id, domain, Optional.empty(), nowMillis);
        }

        public static MakeDue of(QueueId id, long nowMillis) {
            return new MakeDue(Optional.of(id), Optional.empty(), nowMillis);
        }

        public static MakeDue after(String replyOrRemote, long nowMillis) {
            return new MakeDue(Optional.empty(), Optional.empty(), Optional.of(replyOrRemote), nowMillis);
        }
    }
}
