package org.slipstream.core;

import java.util.List;

/// What became of a [Delivery] on a connection. Each delivery has exactly one result.
public sealed interface DeliveryResult {
    /// Of the delivery, see [Delivery#number].
    long delivery();

    /// The connection on which it was made, or was to be made.
    long connection();

    /// The other side has decided about at least one recipient, in whatever way.
    ///
    /// @param outcomes one for each recipient
    /// @param usable false when the connection ended with this delivery
    record Answered(long delivery, long connection, List<RecipientOutcome> outcomes,
            boolean usable) implements DeliveryResult {
        public Answered {
            outcomes = List.copyOf(outcomes);
        }
    }

    /// The connection has ended, and the other side has not decided about any recipient.
    ///
    /// @param reason 4xx
    /// @param remote whose connection it was
    /// @param mayHaveArrived the whole content was handed to the network, so the other side may have it (RFC 1047)
    record Unanswered(long delivery, long connection, Reply reason, String remote,
            boolean mayHaveArrived) implements DeliveryResult {}

    /// Something of our own failed. No destination and no host is to blame.
    ///
    /// @param reason 4xx
    /// @param scope what else will fail in the same way
    /// @param usable false when the connection ended with this delivery
    record OwnFailure(long delivery, long connection, Reply reason, Scope scope,
            boolean usable) implements DeliveryResult {}

    /// How far a failure of our own reaches.
    enum Scope {
        /// This message: its content cannot be read.
        MESSAGE,
        /// Every delivery of the transport: the disk of the mailboxes is gone, no socket can be made.
        TRANSPORT
    }
}
