package org.slipstream.core.queue;

import org.slipstream.core.Reply;

import java.util.Optional;

/// One attempt in the history of a message. Recipients of one attempt with the same reply form one
/// entry.
///
/// @param atMillis the end of the attempt
/// @param remote the source of the reply, as in [Outcome]
/// @param phase of the connection when the outcome was decided; empty when it is not known
/// @param reply [Reply#shortened]
/// @param recipients the number of recipients with this reply
public record PastAttempt(long atMillis, String remote, Optional<QueuePhase.Code> phase, Reply reply, long tookMillis,
        int recipients) {
    public PastAttempt {
        reply = reply.shortened();
    }
}
