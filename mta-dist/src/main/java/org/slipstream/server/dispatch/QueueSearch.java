package org.slipstream.server.dispatch;

import org.slipstream.admin.Operations.Order;
import org.slipstream.core.QueueFilter;
import org.slipstream.core.QueueFilter.State;
import org.slipstream.core.QueueId;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.QueueIndex.Found;
import org.slipstream.spool.index.Search;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Finds messages by a filter. The queue index knows which messages are held, the queue manager which it works on, and a state is known
/// by both together.
///
/// The queue manager is asked about [#PIECE] messages at a time and never for the whole active set, so that an operator's question
/// does not hold up deliveries. A search for active mail therefore looks at a piece of the active set and says where to go on.
record QueueSearch(Spool spool, Inspections brain) {
    private static final int PIECE = 1_000;

    Found find(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        return switch (filter.state().orElse(State.HELD)) {
            case HELD -> spool.find(Search.of(filter), after, limit);
            case ACTIVE -> active(filter, after, limit);
            case DEFERRED -> deferred(filter, after, limit);
        };
    }

    /// Those that an order would change. Messages already on hold are not counted again.
    Found toBeOrdered(Order order, QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        if (filter.state().isPresent()) {
            return find(filter, after, limit);
        }
        return spool.find(Search.of(switch (order) {
            case DELETE, FLUSH -> filter;
            // To the queue index, deferred and active are one.
            case HOLD -> filter.withState(State.DEFERRED);
            case RELEASE -> filter.withState(State.HELD);
        }), after, limit);
    }

    private Found active(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        List<QueueId> piece = brain.ask(manager -> manager.active(after, PIECE));
        Found found = spool.find(Search.among(Set.copyOf(piece), filter), after, limit);
        boolean all = piece.size() < PIECE || found.next().isPresent();
        return all ? found : new Found(found.ids(), Optional.of(piece.getLast()));
    }

    private Found deferred(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        Found found = spool.find(Search.of(filter), after, Math.max(limit, PIECE));
        List<QueueId> deferred = new ArrayList<>(found.ids());
        deferred.removeAll(activeAmong(found.ids()));
        if (deferred.size() <= limit) {
            return new Found(deferred, found.next());
        }
        return new Found(deferred.subList(0, limit), Optional.of(deferred.get(limit - 1)));
    }

    private Set<QueueId> activeAmong(List<QueueId> ids) throws IOException {
        Set<QueueId> active = new HashSet<>();
        for (int from = 0; from < ids.size(); from += PIECE) {
            List<QueueId> piece = ids.subList(from, Math.min(from + PIECE, ids.size()));
            active.addAll(brain.ask(manager -> manager.activeAmong(piece)));
        }
        return active;
    }
}
