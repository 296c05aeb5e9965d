package org.slipstream.spool.work;

import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/// The content files that were there at a start. Some may belong to no message, because a kill ended a
/// draft or a move. They are cleared away beside the service, so a message that moves in again must
/// take its name out first: otherwise its new file would be cleared away.
final class LeftFiles {
    private final Set<QueueId> ids;

    /// Clears away the file of an id.
    @FunctionalInterface
    interface Clearing {
        void of(QueueId id) throws IOException;
    }

    LeftFiles(Set<QueueId> ids) {
        this.ids = new HashSet<>(ids);
    }

    /// When this returns, the file of the start is cleared away, or never will be.
    synchronized void reuse(QueueId id) {
        ids.remove(id);
    }

    /// Those that no message names and that are still there.
    ///
    /// @param present content files now
    synchronized Set<QueueId> unnamed(Collection<QueueId> present, Collection<QueueId> named) {
        Set<QueueId> unnamed = new HashSet<>(ids);
        unnamed.retainAll(present);
        unnamed.removeAll(named);
        return unnamed;
    }

    synchronized void clear(QueueId id, Clearing clearing) throws IOException {
        if (ids.remove(id)) {
            clearing.of(id);
        }
    }
}
