package org.slipstream.smtpin.protocol;

import org.slipstream.core.Reply;

import java.util.List;

/// The answer to one command.
///
/// @param replies said now, in this order
/// @param next the state from here on
public record ProtocolStep(List<Reply> replies, SessionState next, ProtocolAction action) {
    public ProtocolStep {
        replies = List.copyOf(replies);
    }

    static ProtocolStep say(Reply reply, SessionState next) {
        return new ProtocolStep(List.of(reply), next, new ProtocolAction.Listen());
    }

    static ProtocolStep ask(SessionState state, ProtocolAction action) {
        return new ProtocolStep(List.of(), state, action);
    }

    static ProtocolStep hangUp(Reply reply, SessionState state) {
        return new ProtocolStep(List.of(reply), state, new ProtocolAction.Close(true));
    }

    ProtocolStep then(ProtocolAction other) {
        return action instanceof ProtocolAction.Close ? this : new ProtocolStep(replies, next, other);
    }
}
