package org.slipstream.spool.follow;

import org.slipstream.core.QueueId;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.StoredMessage;

import java.util.Optional;
import java.util.OptionalInt;

/// One change of a message, as a program would be told of it.
///
/// @param at the record of the log that it comes from
/// @param number among the changes of this record, from 0. A record always has the same changes, so
///     position and number identify the change
/// @param message as it was accepted; empty when the log and the index have lost it
public record MessageChange(Position at, int number, QueueId id, Optional<StoredMessage> message, ChangeFact what) {

    public sealed interface ChangeFact permits Accepted, Decided, HoldSet, Deleted {}

    /// The message is durable, and its client has the acknowledgement.
    public record Accepted() implements ChangeFact {}

    /// @param attempt of the message, from 1; empty for an outcome without an attempt, and when it is not known
    public record Decided(RecipientOutcome outcome, long atMillis, OptionalInt attempt) implements ChangeFact {}

    public record HoldSet(boolean held) implements ChangeFact {}

    /// An operator deleted the message; recipients that are open get nothing more.
    public record Deleted() implements ChangeFact {}
}
