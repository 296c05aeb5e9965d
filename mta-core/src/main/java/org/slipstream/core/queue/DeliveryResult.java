package org.slipstream.core.queue;

import org.slipstream.core.Reply;

import java.util.List;
import java.util.Optional;

/// The result of a [Delivery] on a connection. Each delivery has exactly one result.
public sealed interface DeliveryResult {
    /// The number of the delivery, see [Delivery#number].
    long delivery();

    /// The connection on which the delivery ran, or was to run.
    long connection();

    /// The remote host replied for at least one recipient, positively or negatively.
    ///
    /// @param outcomes one for each recipient
    /// @param usable false when the connection ended with this delivery
    record Answered(long delivery, long connection, List<RecipientOutcome> outcomes,
            boolean usable) implements DeliveryResult {
        public Answered {
            outcomes = List.copyOf(outcomes);
        }
    }

    /// The connection ended before the remote host replied for any recipient.
    ///
    /// @param reason 4xx
    /// @param remote the remote host of the connection
    /// @param mayHaveArrived the whole content was sent, so the remote host may have accepted it
    /// (RFC 1047)
    /// @param phase in which the connection ended, if known
    record Unanswered(long delivery, long connection, Reply reason, String remote, boolean mayHaveArrived,
            Optional<QueuePhase.Code> phase) implements DeliveryResult {
        public Unanswered(long delivery, long connection, Reply reason, String remote, boolean mayHaveArrived) {
            this(delivery, connection, reason, remote, mayHaveArrived, Optional.empty());
        }
    }

    /// A local failure. No destination and no host is at fault.
    ///
    /// @param reason 4xx
    /// @param scope the other deliveries that will fail in the same way
    /// @param usable false when the connection ended with this delivery
    record OwnFailure(long delivery, long connection, Reply reason, Scope scope,
            boolean usable) implements DeliveryResult {}

    /// The scope of a local failure.
    enum Scope {
        /// This message: its content cannot be read.
        MESSAGE,
        /// Deliveries by this route: its source cannot be used. The recipients get another route at once.
        ROUTE,
        /// Every delivery of the transport: the mailbox disk is unavailable, or no socket can be
        /// opened.
        TRANSPORT
    }
}
