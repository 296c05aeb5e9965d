package org.slipstream.spool.index;

import org.slipstream.core.QueueId;
import org.slipstream.core.queue.QueueFilter;

import java.util.Optional;
import java.util.Set;

/// A search in the index. The index knows which messages are held; the caller knows which of the
/// others are active.
///
/// @param filter states other than held mean: not held
/// @param among only these messages, if present
/// @param changing messages that match in any state
public record Search(QueueFilter filter, Optional<Set<QueueId>> among, Set<QueueId> changing) {
    public Search {
        among = among.map(Set::copyOf);
        changing = Set.copyOf(changing);
    }

    public static Search of(QueueFilter filter) {
        return new Search(filter, Optional.empty(), Set.of());
    }

    public static Search among(Set<QueueId> ids, QueueFilter filter) {
        return new Search(filter, Optional.of(ids), Set.of());
    }

    public Search with(Set<QueueId> changing) {
        return new Search(filter, among, changing);
    }
}
