package org.slipstream.qmgr.place;

import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.util.List;
import java.util.OptionalLong;

/// What the wire tells of a connection. News of one connection come in the order in which things happened.
public sealed interface ConnectionNews {
    long connection();

    /// Greeting, EHLO and TLS are done.
    record Ready(long connection) implements ConnectionNews {}

    /// It could not be opened, and is gone.
    ///
    /// @param ours a trouble of our own house, which says nothing about the host
    /// @param retryAfterMillis what the host asked for; may only lengthen our own delay
    record Failed(long connection, Reply reason, String remote, boolean ours, OptionalLong retryAfterMillis)
            implements
                ConnectionNews {}

    /// A delivery has its outcomes.
    ///
    /// @param usable false when the connection is gone with it; what else was unanswered there is reseated
    /// @param siteTrouble the session itself failed before the transaction: the outcomes are the host's, not the message's
    record Answered(long connection, long delivery, List<RecipientOutcome> outcomes, boolean usable,
            boolean siteTrouble) implements ConnectionNews {}

    /// The connection broke and is gone, with this delivery unanswered. The first of these ends the connection; each delivery that
    /// was handed to it comes back with one of its own.
    ///
    /// @param mayHaveArrived the whole content was sent: the host may have it, so it is not tried again at once
    record Returned(long connection, long delivery, Reply reason, String remote, boolean mayHaveArrived)
            implements
                ConnectionNews {}

    /// The peer took an idle connection away; it is gone. What was just then on its way to it comes back behind this.
    record Lost(long connection, String reason) implements ConnectionNews {}

    /// So many unanswered deliveries keep this connection busy.
    record Depth(long connection, int deliveries) implements ConnectionNews {}

    /// The host was seen to break when more than one delivery was under way; one at a time from now on.
    record PipelinesBadly(long connection, String what) implements ConnectionNews {}
}
