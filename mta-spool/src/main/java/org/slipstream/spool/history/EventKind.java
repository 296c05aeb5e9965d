package org.slipstream.spool.history;

import org.slipstream.core.Reply;

import java.util.Locale;

/// The kinds of events in a history.
public enum EventKind {
    /// The message is in the spool, and its client has the acknowledgement.
    ACCEPTED,
    /// Recipients have the message.
    DELIVERED,
    /// Recipients wait for the next attempt.
    DEFERRED,
    /// Recipients will not get the message.
    FAILED,
    /// The message waits for the time of its next attempt.
    WAITS,
    /// An operator holds the message.
    HELD,
    /// An operator has released it.
    RELEASED,
    /// An operator has given another order.
    ORDERED,
    /// The message cannot be read and is set aside.
    SET_ASIDE,
    /// A report about the message entered the queue.
    REPORT,
    /// The message has left the queue.
    REMOVED;

    public static EventKind of(Reply reply) {
        return reply.isPositive() ? DELIVERED : reply.isTransient() ? DEFERRED : FAILED;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
