package org.slipstream.server.operate;

import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.core.queue.QueueFilter.State;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.server.dispatch.Commands;
import org.slipstream.server.view.ProviderOfMail;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.QueueIndex.Found;
import org.slipstream.spool.index.Search;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/// Finds messages by a filter. The queue index knows which messages are on hold, the queue manager
/// which are active; a state needs both.
///
/// One query asks the queue manager about [#PART] messages and never for the whole active queue, so
/// that it does not delay deliveries. A search for active mail therefore reads a part of the active
/// queue and returns where to continue.
///
/// @param transport of a question about a route
record QueueSearch(Spool spool, QmgrQueries queries, Commands commands, UnaryOperator<String> transport) {
    private static final int PART = 1_000;

    Found find(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        return filter.needsRoutes()
                ? byRoute(filter, found(filter, after, PART), limit)
                : found(filter, after, limit);
    }

    private Found found(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        return switch (filter.state().orElse(State.HELD)) {
            case HELD -> spool.find(Search.of(filter), after, limit);
            case ACTIVE -> active(filter, after, limit);
            case DEFERRED -> deferred(filter, after, limit);
        };
    }

    /// Messages that an order would change. Messages already on hold are not counted again. A release finds holds
    /// that still wait for the disk.
    Found toBeOrdered(MessageOrder order, QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        if (filter.state().isPresent()) {
            return find(filter, after, limit);
        }
        Search search = order.concerns()
                .map(state -> Search.of(filter.withState(state)).with(commands.changingTo(state)))
                .orElse(Search.of(filter));
        return filter.needsRoutes()
                ? byRoute(filter, spool.find(search, after, PART), limit)
                : spool.find(search, after, limit);
    }

    /// Those of a part of the queue that wait for a provider or a transport.
    private Found byRoute(QueueFilter filter, Found part, int limit) throws IOException {
        List<MessageDetails> rows = spool.details(part.ids());
        if (filter.provider().isPresent()) {
            ProviderOfMail providers = providers(rows);
            rows = rows.stream().filter(row -> providers.concerns(row, filter.provider().get())).toList();
        }
        if (filter.transport().isPresent()) {
            rows = ofTransport(filter.transport().get(), rows);
        }
        List<QueueId> ids = rows.stream()
                .map(row -> row.summary().id()).sorted().toList();
        return ids.size() <= limit
                ? new Found(ids, part.next())
                : new Found(ids.subList(0, limit), Optional.of(ids.get(limit - 1)));
    }

    // The settings decide, and the order of an operator before them; so it is known for mail on disk, too.
    private List<MessageDetails> ofTransport(String name, List<MessageDetails> rows) throws IOException {
        return queries.ask(manager -> rows.stream().filter(row -> row.recipients().stream()
                .filter(each -> each.state() == RecipientStatus.OPEN)
                .map(each -> row.summary().instructions().route().map(Route::transport).orElseGet(
                        () -> transport.apply(manager.routeQuestion(each.recipient().address(),
                                row.summary().sender(), row.summary().id()))))
                .anyMatch(name::equals)).toList());
    }

    /// The providers of the recipients of these messages, as far as they are known.
    ProviderOfMail providers(List<MessageDetails> messages) throws IOException {
        Set<String> domains = ProviderOfMail.domains(messages);
        return queries.ask(manager -> new ProviderOfMail(manager.providerTable(), manager.providers(domains)));
    }

    private Found active(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        List<QueueId> part = queries.ask(manager -> manager.active(after, PART));
        Found found = spool.find(Search.among(Set.copyOf(part), filter), after, limit);
        boolean all = part.size() < PART || found.next().isPresent();
        return all ? found : new Found(found.ids(), Optional.of(part.getLast()));
    }

    private Found deferred(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        Found found = spool.find(Search.of(filter), after, Math.max(limit, PART));
        List<QueueId> deferred = new ArrayList<>(found.ids());
        deferred.removeAll(activeAmong(found.ids()));
        if (deferred.size() <= limit) {
            return new Found(deferred, found.next());
        }
        return new Found(deferred.subList(0, limit), Optional.of(deferred.get(limit - 1)));
    }

    private Set<QueueId> activeAmong(List<QueueId> ids) throws IOException {
        Set<QueueId> active = new HashSet<>();
        for (int from = 0; from < ids.size(); from += PART) {
            List<QueueId> part = ids.subList(from, Math.min(from + PART, ids.size()));
            active.addAll(queries.ask(manager -> manager.activeAmong(part)));
        }
        return active;
    }
}
