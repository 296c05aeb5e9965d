package org.slipstream.spool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/// Removes the copies that a stop in the middle of a move left, so that each message is in one spool
/// (IM-33). It must run before any queue manager, because a message in two spools would be delivered
/// twice.
///
/// **Which copy stays.** The new one, when it has the state of the old one: the old queue manager has
/// done nothing since. The old one otherwise. Then the new copy is what a power cut left of a write
/// that was not finished, or that failed and was refused; the old queue manager may have gone on with
/// the message. The next attempt is no part of that comparison, because it may be new on purpose.
public final class MovedCopies {
    private static final Logger LOG = LoggerFactory.getLogger(MovedCopies.class);
    private static final int PAGE = 1_000;

    private final Spool old;
    private final List<Spool> others;
    private int removed;

    private MovedCopies(Spool old, List<Spool> others) {
        this.old = old;
        this.others = others;
    }

    /// Returns when the removals are on disk.
    ///
    /// @param shard number of the shard whose mail moves, for the log
    /// @param old its spool
    /// @return the number of removed copies
    public static int sweep(int shard, Spool old, List<Spool> others) throws IOException {
        MovedCopies copies = new MovedCopies(old, others);
        Optional<QueueId> after = Optional.empty();
        for (List<QueueId> page = old.ids(after, PAGE); !page.isEmpty(); page = old.ids(after, PAGE)) {
            copies.sweep(page);
            after = Optional.of(page.getLast());
        }
        if (copies.removed > 0) {
            LOG.info("event=moved-copies-removed shard={} count={}", shard, copies.removed);
        }
        return copies.removed;
    }

    private void sweep(List<QueueId> page) throws IOException {
        for (Spool other : others) {
            List<QueueId> twice = new ArrayList<>(other.known(page));
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

    private static Spool.Details withoutTime(Spool.Details details) {
        return new Spool.Details(details.summary(), details.envelope(), 0, details.recipients());
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
