package org.slipstream.spool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageDetails;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiPredicate;

/// Removes the copies that a stop in the middle of a move left, so that each message is in one spool
/// (IM-33). It must run before any queue manager, because a message in two spools would be delivered
/// twice.
///
/// **Which copy stays.** The new one, when it has the state of the old one: the old queue manager has
/// done nothing since. The old one otherwise. Then the new copy is what a power cut left of a write
/// that was not finished, or that failed and was refused; the old queue manager may have gone on with
/// the message. The next attempt is no part of that comparison, because it may be new on purpose.
///
/// **Which spool is the old one.** The drained one. Without a drained one, because the shard was enabled
/// or its mode is lost, it is the spool that gave the message its id.
public final class MovedCopies {
    private static final Logger log = LoggerFactory.getLogger(MovedCopies.class);
    private static final int PAGE = 1_000;

    private final Spool old;
    private final List<Spool> others;
    private final BiPredicate<QueueId, Spool> isOld;
    private int removed;

    /// @param isOld false when the other spool is the old one for this message
    private MovedCopies(Spool old, List<Spool> others, BiPredicate<QueueId, Spool> isOld) {
        this.old = old;
        this.others = others;
        this.isOld = isOld;
    }

    /// Removes copies of the messages of a drained spool. Returns when the removals are on disk.
    ///
    /// @param shard number of the shard whose mail moves, for the log
    /// @param old its spool
    /// @return the number of removed copies
    public static int sweep(int shard, Spool old, List<Spool> others) throws IOException {
        return sweep(shard, new MovedCopies(old, others, (_, _) -> true), old);
    }

    /// As [#sweep(int, Spool, List)], for a spool whose messages may have moved in either direction.
    /// To be called for each of the spools.
    public static int sweepBoth(int shard, Spool spool, List<Spool> others) throws IOException {
        return sweep(shard, new MovedCopies(spool, others, (id, other) -> id.shard() != other.shard()), spool);
    }

    private static int sweep(int shard, MovedCopies copies, Spool old) throws IOException {
        Optional<QueueId> after = Optional.empty();
        for (List<QueueId> page = old.ids(after, PAGE); !page.isEmpty(); page = old.ids(after, PAGE)) {
            copies.sweep(page);
            after = Optional.of(page.getLast());
        }
        if (copies.removed > 0) {
            log.info("event=moved-copies-removed shard={} count={}", shard, copies.removed);
        }
        return copies.removed;
    }

    private void sweep(List<QueueId> page) throws IOException {
        for (Spool other : others) {
            List<QueueId> twice = other.known(page).stream().filter(id -> isOld.test(id, other)).toList();
            if (twice.isEmpty()) {
                continue;
            }
            Set<QueueId> soundHere = old.sound(twice);
            Set<QueueId> soundThere = other.sound(twice);
            CountDownLatch left = new CountDownLatch(twice.size());
            for (QueueId id : twice) {
                boolean moved = (soundThere.contains(id) || !soundHere.contains(id)) && isSame(id, other);
                (moved ? old : other).left(id, left::countDown);
                removed++;
            }
            await(left);
        }
    }

    private boolean isSame(QueueId id, Spool other) throws IOException {
        return old.details(id).map(MovedCopies::withoutTime).equals(other.details(id).map(MovedCopies::withoutTime));
    }

    private static MessageDetails withoutTime(MessageDetails details) {
        return new MessageDetails(details.summary(), details.envelope(), 0, details.recipients());
    }

    private static void await(CountDownLatch left) throws IOException {
        try {
            left.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while copies were removed", stop);
        }
    }
}
