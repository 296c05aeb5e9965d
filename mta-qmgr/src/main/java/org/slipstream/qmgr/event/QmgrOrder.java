package org.slipstream.qmgr.event;

import org.slipstream.core.Delivery;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.QueueName;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Route;

import java.util.List;
import java.util.Optional;

/// All that the queue manager can want of the world. Orders are data; the desk that takes them only enqueues.
public sealed interface QmgrOrder {
    /// Find messages of one queue whose time has come, oldest due first, and move their next attempt forward to `leaseUntilMillis` on
    /// disk before answering. Held messages belong to the deferred queue and are found only when they are older than their lifetime.
    ///
    /// @param createdBeforeMillis held messages created before this have expired
    /// @param furthestMillis no next attempt is later than this, unless the sender asked for it (RFC 4865): what is deferred for longer, because
    /// the clock went back, is brought forward to this time. `Long.MAX_VALUE`: not looked at
    record Scan(QueueName queue, int limit, long nowMillis, long leaseUntilMillis, long createdBeforeMillis,
            long furthestMillis)
            implements
                QmgrOrder {}

    /// Read open recipients with a number above `after`.
    record ReadRecipients(QueueId id, int after, int limit) implements QmgrOrder {}

    /// Where does mail for this domain go?
    ///
    /// @param domain lower case
    /// @param id the message that asked first; others may wait for the same answer
    record FindRoute(String domain, QueueId id) implements QmgrOrder {}

    /// Make a connection.
    ///
    /// @param route to one host, or into a mailbox
    record Open(long connection, Route route) implements QmgrOrder {}

    /// Transfer one message to some of its recipients on a ready connection. Several may be under way there.
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

    /// Close the connection. Has no answer; the number is not used again.
    record Close(long connection) implements QmgrOrder {}

    /// Write down what became of recipients. Only when [QmgrEvent.OutcomeRecorded] has come may the entry be forgotten.
    ///
    /// @param record a number of the queue manager's, given back in the answer
    /// @param recipients whom the outcomes are about, in the same order, for logs
    /// @param attempt counts as an attempt of the message: the first record of its stay in the active set that tells of a recipient who was tried
    /// and deferred
    record RecordOutcome(QueueId id, long record, List<Recipient> recipients, List<RecipientOutcome> outcomes,
            boolean attempt)
            implements
                QmgrOrder {}

    /// Tell the sender: composes a report from what the spool knows and puts it there.
    record Notify(QueueId id, NoticeKind kind) implements QmgrOrder {}

    enum NoticeKind {
        /// Recipients have failed for good (RFC 3464 action `failed`); afterwards they count as reported.
        FAILED,
        /// Recipients are late (action `delayed`); sent once.
        DELAYED
    }

    /// Back into the queue until its time.
    record Defer(QueueId id, long nextAttemptMillis) implements QmgrOrder {}

    /// Every recipient is settled and reported, or an operator said so: forget it.
    ///
    /// @param reason for the log: `sent`, `bounced`, `deleted` …
    record Remove(QueueId id, String reason) implements QmgrOrder {}

    /// Operator: mark as held or not; an unheld message is due at once.
    record SetHold(QueueId id, boolean held) implements QmgrOrder {}

    /// Answers [QmgrEvent.Operator], exactly once for each ticket. Has no answer itself.
    record Answered(long ticket, Result result) implements QmgrOrder {}

    /// Answers [QmgrEvent.OperatorCommand.Verify]. Has no answer itself.
    ///
    /// @param route transport and next hop; empty where there is none
    /// @param outcome what mail for the address would have met
    record Verified(long ticket, String route, Outcome outcome) implements QmgrOrder {}

    /// The effect of an operator's command.
    enum Result {
        /// The spool has the effect, or the end that the message came to before.
        FILED,
        /// There is nothing to do: the message is being worked on and stays so.
        UNCHANGED,
        /// The spool works through many messages, in portions.
        BEGUN
    }

    /// Operator: everything that waits, or what waits for one domain, or one message, is due at `nowMillis`.
    record MakeDue(Optional<QueueId> id, Optional<String> domain, long nowMillis) implements QmgrOrder {}
}
