package org.slipstream.smtpin.protocol;

import org.slipstream.core.Reply;

import java.util.List;

/// The result of one command.
///
/// @param replies sent now, in this order
/// @param next the new state
public record ProtocolStep(List<Reply> replies, SessionState next, ProtocolAction action) {
    public ProtocolStep {
        replies = List.copyOf(replies);
    }

    static ProtocolStep reply(Reply reply, SessionState next) {
        return new ProtocolStep(List.of(reply), next, new ProtocolAction.ReadCommand());
    }

    static ProtocolStep ask(SessionState state, ProtocolAction action) {
        return new ProtocolStep(List.of(), state, action);
    }

    static ProtocolStep close(Reply reply, SessionState state) {
        return new ProtocolStep(List.of(reply), state, new ProtocolAction.Close(true));
    }

    ProtocolStep then(ProtocolAction other) {
        return action instanceof ProtocolAction.Close ? this : new ProtocolStep(replies, next, other);
    }
}
