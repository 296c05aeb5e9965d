package org.slipstream.core;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Which queued messages an operator means. All that is said must fit.
///
/// @param recipient a recipient who still waits for the message and fits all of these; empty: whoever it is
/// @param olderThanMillis in the queue for at least so long; @param youngerThanMillis for less
/// @param attempts at least so many have failed
public record QueueFilter(Optional<AddressPattern> sender, List<AddressPattern> recipient, Optional<State> state,
        OptionalLong olderThanMillis, OptionalLong youngerThanMillis, int attempts) {
    /// Everything.
    public static final QueueFilter ANY = new QueueFilter(Optional.empty(), List.of(), Optional.empty(),
            OptionalLong.empty(), OptionalLong.empty(), 0);

    /// What a list of the queue says of a message: held by an operator, being worked on now, or waiting for its time.
    public enum State {
        HELD, ACTIVE, DEFERRED
    }

    public QueueFilter {
        recipient = List.copyOf(recipient);
    }

    public boolean isAny() {
        return equals(ANY);
    }

    public QueueFilter withState(State wanted) {
        return new QueueFilter(sender, recipient, Optional.of(wanted), olderThanMillis, youngerThanMillis, attempts);
    }
}
