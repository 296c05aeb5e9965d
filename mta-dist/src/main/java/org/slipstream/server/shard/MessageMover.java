package org.slipstream.server.shard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.server.dispatch.OrderDispatcher;
import org.slipstream.spool.MovableMessages;
import org.slipstream.spool.MovableMessages.Exported;
import org.slipstream.spool.MovingMessage;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Moves messages of one shard to others. At any moment at least one log has the message, and its
/// new queue manager gets to know it when the old log has it no more.
///
/// Nothing waits here: each step is ordered by the answer to the one before ([MovableMessages]). A
/// step that fails before the new log has the message leaves it where it is.
final class MessageMover implements OrderDispatcher.Mover {
    private static final Logger log = LoggerFactory.getLogger(MessageMover.class);

    /// A shard that takes messages.
    interface MoveTarget {
        int number();

        MovableMessages spool();

        /// The message is in this shard and in no other.
        void arrived(QmgrEvent.MovedIn message);

        /// The move has ended, whatever its result. Until then the shard stays open.
        void release();
    }

    /// Decides moves that got no answer: their messages may be in the other spool.
    interface MoveDoubts {
        /// Of two spools on disks of this server: a log that refuses a message takes it back before anything else.
        MoveDoubts NONE = new MoveDoubts() {
            @Override
            public boolean isOpen(QueueId id) {
                return false;
            }

            @Override
            public void settle(QueueId id, int into, Consumer<Boolean> then) {
                then.accept(false);
            }

            @Override
            public void left(QueueId id) {
                // Nothing is kept about it.
            }
        };

        /// True while it is not known where the message is.
        boolean isOpen(QueueId id);

        /// Tells some time later whether the other spool has the message.
        void settle(QueueId id, int into, Consumer<Boolean> then);

        /// The source does not have the message any more.
        void left(QueueId id);
    }

    private final int number;
    private final MovableMessages source;
    private final BooleanSupplier wanted;
    private final Supplier<Optional<MoveTarget>> targets;
    private final MoveDoubts doubts;

    /// @param number of the shard
    /// @param wanted false when the shard keeps its mail: it was enabled after the order
    /// @param targets chooses the shard for the next message and keeps it open; empty when none takes it
    MessageMover(int number, MovableMessages source, BooleanSupplier wanted,
            Supplier<Optional<MoveTarget>> targets, MoveDoubts doubts) {
        this.number = number;
        this.source = source;
        this.wanted = wanted;
        this.targets = targets;
        this.doubts = doubts;
    }

    @Override
    public void moveOut(QueueId id, OptionalLong dueMillis, Consumer<Boolean> then) {
        if (!wanted.getAsBoolean()) {
            log.debug("event=message-not-moved queue={} from={} reason=\"the shard is not drained any more\"", id,
                    number);
            then.accept(false);
            return;
        }
        if (doubts.isOpen(id)) {
            log.debug("event=message-not-moved queue={} from={} reason=\"a move of it is not decided\"", id, number);
            then.accept(false);
            return;
        }
        Optional<MoveTarget> target = targets.get();
        if (target.isEmpty()) {
            log.debug("event=message-not-moved queue={} from={} reason=\"no other shard takes mail\"", id, number);
            then.accept(false);
            return;
        }
        new Move(id, target.get(), then).begin(dueMillis);
    }

    private final class Move {
        private final QueueId id;
        private final MoveTarget target;
        private final Consumer<Boolean> then;

        Move(QueueId id, MoveTarget target, Consumer<Boolean> then) {
            this.id = id;
            this.target = target;
            this.then = then;
        }

        void begin(OptionalLong dueMillis) {
            source.export(id, dueMillis, this::exported);
        }

        private void exported(Exported exported) {
            switch (exported) {
                case Exported.Ready(MovingMessage message) ->
                    target.spool().take(message, trouble -> taken(message, trouble));
                case Exported.Gone _ -> {
                    log.debug("event=message-not-moved queue={} from={} reason=\"it ended before\"", id, number);
                    ended(false);
                }
                case Exported.Damaged(String reason) -> stays(reason);
                case Exported.Unavailable(IOException why) -> stays(FailureWords.of(why));
            }
        }

        private void taken(MovingMessage message, Optional<IOException> trouble) {
            trouble.ifPresentOrElse(
                    why -> doubts.settle(id, target.number(), in -> settled(in, FailureWords.of(why))),
                    () -> source.left(id, () -> left(message)));
        }

        private void settled(boolean in, String why) {
            if (in) {
                // The log has another owner by now, who found the message in it.
                source.left(id, () -> {
                    log.info("event=message-moved queue={} from={} to={}", id, number, target.number());
                    doubts.left(id);
                    ended(true);
                });
            } else {
                stays(why);
            }
        }

        private void left(MovingMessage message) {
            log.info("event=message-moved queue={} from={} to={}", id, number, target.number());
            doubts.left(id);
            target.spool().arrived(id);
            target.arrived(new QmgrEvent.MovedIn(message.summary(), message.nextAttemptMillis()));
            ended(true);
        }

        private void stays(String reason) {
            log.warn("event=message-not-moved queue={} from={} to={} reason=\"{}\"", id, number, target.number(),
                    LogText.text(reason));
            ended(false);
        }

        private void ended(boolean moved) {
            if (!moved) {
                source.stays(id);
            }
            target.release();
            then.accept(moved);
        }
    }
}
