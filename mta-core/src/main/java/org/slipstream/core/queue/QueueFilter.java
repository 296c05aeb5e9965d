package org.slipstream.core.queue;

import org.slipstream.core.AddressPattern;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// A filter for queued messages. A message matches when all given conditions hold.
///
/// @param recipient patterns that one unfinished recipient of the message matches, all of them;
/// empty: any recipient
/// @param olderThanMillis minimum time in the queue; @param youngerThanMillis maximum time in the
/// queue
/// @param attempts minimum number of failed attempts
/// @param provider of one unfinished recipient; the index does not know it, and answers without this condition
public record QueueFilter(Optional<AddressPattern> sender, List<AddressPattern> recipient, Optional<State> state,
        OptionalLong olderThanMillis, OptionalLong youngerThanMillis, int attempts, Optional<String> provider) {
    /// Matches every message.
    public static final QueueFilter ANY = new QueueFilter(Optional.empty(), List.of(), Optional.empty(),
            OptionalLong.empty(), OptionalLong.empty(), 0);

    /// The state in a queue listing: on hold, active, or waiting for the next attempt.
    public enum State {
        HELD, ACTIVE, DEFERRED
    }

    /// Of any provider.
    public QueueFilter(Optional<AddressPattern> sender, List<AddressPattern> recipient, Optional<State> state,
            OptionalLong olderThanMillis, OptionalLong youngerThanMillis, int attempts) {
        this(sender, recipient, state, olderThanMillis, youngerThanMillis, attempts, Optional.empty());
    }

    public QueueFilter {
        recipient = List.copyOf(recipient);
    }

    public boolean isAny() {
        return equals(ANY);
    }

    /// True when every message with a sender matches, although conditions are given.
    public boolean matchesEverything() {
        return sender.map(AddressPattern::isAnyone).orElse(true)
                && recipient.stream().allMatch(AddressPattern::isAnyone)
                && provider.isEmpty() && state.isEmpty() && olderThanMillis.orElse(0) <= 0
                && youngerThanMillis.isEmpty() && attempts <= 0;
    }

    public QueueFilter withState(State wanted) {
        return new QueueFilter(sender, recipient, Optional.of(wanted), olderThanMillis, youngerThanMillis, attempts,
                provider);
    }

    public QueueFilter withProvider(Optional<String> wanted) {
        return new QueueFilter(sender, recipient, state, olderThanMillis, youngerThanMillis, attempts, wanted);
    }
}
