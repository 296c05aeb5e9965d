package org.slipstream.smtpin.protocol;

import org.slipstream.core.Reply;

import java.util.List;

/// The answer to one command.
///
/// @param replies said now, in this order
/// @param next the state from here on
public record Step(List<Reply> replies, State next, Action action) {
    public Step {
        replies = List.copyOf(replies);
    }

    static Step say(Reply reply, State next) {
        return new Step(List.of(reply), next, new Action.Listen());
    }

    static Step ask(State state, Action action) {
        return new Step(List.of(), state, action);
    }

    static Step hangUp(Reply reply, State state) {
        return new Step(List.of(reply), state, new Action.Close(true));
    }

    Step then(Action other) {
        return action instanceof Action.Close ? this : new Step(replies, next, other);
    }
}
