package org.slipstream.spool;

import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/// The part of a spool that moves messages into other spools and takes messages from them.
///
/// A message moves in four steps: [#export] from the old spool, [#take] into the new one, [#left] in
/// the old one, [#arrived] in the new one. Each of the first three has an answer after its sync, so
/// at any moment at least one log has the message. A stop between the second and the third leaves it
/// in both, with the same state; [MovedCopies] removes one at the next start. The new queue manager
/// gets to know the message with the last step: otherwise it could be delivered and removed there
/// while the old log still has it, and a stop at that moment would bring it back.
///
/// The callbacks run on threads of the spool and must not block. Each runs exactly once.
public interface MovableMessages {
    /// Reads a message with its content and its state after all changes that were ordered before.
    /// From now until [#left] or [#stays], no [Spool#claimDue] finds it.
    ///
    /// @param dueMillis its next attempt; empty: as it is on disk
    void export(QueueId id, OptionalLong dueMillis, Consumer<Exported> then);

    /// The result of an export.
    sealed interface Exported {
        record Ready(MovingMessage message) implements Exported {}

        /// The spool does not have the message.
        record Gone() implements Exported {}

        /// Its content or its rows cannot be read. It stays, and is set aside.
        record Damaged(String reason) implements Exported {}

        /// The spool does not work at present.
        record Unavailable(IOException why) implements Exported {}
    }

    /// Writes a message of another spool into this one. Until [#arrived], no [Spool#claimDue] finds
    /// it.
    ///
    /// @param then gets nothing when the message is on disk. Otherwise the spool does not have it:
    ///     [NoSpaceException] when the disk is too full
    void take(MovingMessage message, Consumer<Optional<IOException>> then);

    /// Removes a message that another spool has.
    void left(QueueId id, Runnable then);

    /// Ends an export whose message stays here.
    void stays(QueueId id);

    /// The message is in no other spool any more.
    void arrived(QueueId id);

    /// The next messages after `after` in order of id, at most `limit`, with those set aside.
    List<QueueId> ids(Optional<QueueId> after, int limit) throws IOException;

    /// Those of `ids` that are here.
    Set<QueueId> known(List<QueueId> ids) throws IOException;

    /// Those of `ids` that are here and not set aside.
    Set<QueueId> sound(List<QueueId> ids) throws IOException;
}
