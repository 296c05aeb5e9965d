package org.slipstream.server.shard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;
import org.slipstream.spool.MovableMessages;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/// Removes the copies that a stop in the middle of a move left (IM-33).
///
/// A message that is in a drained shard and in another one was copied, and its removal was not on
/// disk at the stop. Both copies have the same state, and the new one is the valid one. This must run
/// before any queue manager, because from then on the states may differ.
final class MovedCopies {
    private static final Logger log = LoggerFactory.getLogger(MovedCopies.class);
    private static final int PAGE = 1_000;

    private MovedCopies() {}

    /// Returns when the removals are on disk.
    ///
    /// @param number of the drained shard
    /// @return the number of copies
    static int sweep(int number, MovableMessages drained, List<? extends MovableMessages> others) throws IOException {
        int copies = 0;
        Optional<QueueId> after = Optional.empty();
        for (List<QueueId> page = drained.ids(after, PAGE); !page.isEmpty(); page = drained.ids(after, PAGE)) {
            Set<QueueId> elsewhere = new HashSet<>();
            for (MovableMessages other : others) {
                elsewhere.addAll(other.known(page));
            }
            remove(drained, elsewhere);
            copies += elsewhere.size();
            after = Optional.of(page.getLast());
        }
        if (copies > 0) {
            log.info("event=moved-copies-removed shard={} count={}", number, copies);
        }
        return copies;
    }

    private static void remove(MovableMessages drained, Set<QueueId> copies) throws IOException {
        CountDownLatch left = new CountDownLatch(copies.size());
        copies.forEach(id -> drained.left(id, left::countDown));
        try {
            left.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while copies were removed", stop);
        }
    }
}
