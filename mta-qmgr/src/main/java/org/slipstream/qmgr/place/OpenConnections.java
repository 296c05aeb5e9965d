package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The connections of one transport, how they are closed, and how many there are.
final class OpenConnections {
    private PlaceRules rules;
    private final WorkerBudget budget;
    private final ConnectionBook book;
    private final IdlePool idle;
    private final DestDb hosts;
    private final TransportLeases leases;

    /// Suspended since the last alarm.
    private final Set<HostKey> suspended = new LinkedHashSet<>();

    OpenConnections(PlaceRules rules, WorkerBudget budget, ConnectionBook book, IdlePool idle, DestDb hosts,
            TransportLeases leases) {
        this.rules = rules;
        this.budget = budget;
        this.book = book;
        this.idle = idle;
        this.hosts = hosts;
        this.leases = leases;
    }

    void change(PlaceRules others) {
        rules = others;
    }

    // ---- closing

    void close(Connection connection, long now, OrderSink orders) {
        idle.remove(connection);
        remove(connection);
        closedIfLast(connection, now);
        orders.order(new QmgrOrder.Close(connection.number));
    }

    /// @return the assignments that it had
    List<Assignment> remove(Connection connection) {
        List<Assignment> assignments = book.remove(connection);
        if (book.connections(connection.host.host()) == 0) {
            idle.forget(connection.host.host());
            leases.left(connection.host.host());
            // A host that refused one connection more may take the first one.
            hosts.crowdEnds(connection.host.host());
        }
        return assignments;
    }

    void closedIfLast(Connection connection, long now) {
        if (book.connections(connection.host.host()) == 0 && connection.up) {
            hosts.closed(connection.host, connection.openedMillis, now);
        }
    }

    /// The idle connections of a suspended host are closed with the next alarm.
    void suspended(HostKey host) {
        suspended.add(host);
    }

    boolean hasSuspended() {
        return !suspended.isEmpty();
    }

    void closeIdleOfSuspended(long now, OrderSink orders) {
        if (!suspended.isEmpty()) {
            List<Connection> idleThere = book.all().stream()
                    .filter(connection -> suspended.contains(connection.host.host()) && connection.isIdle()).toList();
            idleThere.forEach(connection -> close(connection, now, orders));
            suspended.clear();
        }
    }

    /// Closes the connections that are idle for the longest time.
    ///
    /// @param host empty for all
    void closeIdle(Optional<HostKey> host, int most, long nowMillis, OrderSink orders) {
        List<Connection> unused = book.all().stream()
                .filter(connection -> connection.isIdle()
                        && host.map(connection.host.host()::equals).orElse(true))
                .sorted(Comparator.comparingLong(connection -> connection.idleSinceMillis)).limit(most).toList();
        unused.forEach(connection -> close(connection, nowMillis, orders));
    }

    // ---- counts

    int size() {
        return book.size();
    }

    /// Hosts with a connection.
    List<HostKey> hosts() {
        return book.inUse();
    }

    int connections(HostKey host) {
        return book.connections(host);
    }

    /// Connections to the hosts of this destination, opening, busy or idle, of any destination.
    int connections(Candidates where) {
        return where.hosts().mapToInt(candidate -> book.connections(candidate.host())).sum();
    }

    /// Connections that open for this destination or serve it; they count against its window.
    int serving(String destination) {
        return book.serving(destination);
    }

    int busy() {
        return budget.busy();
    }

    /// Busy connections of this owner.
    int busyFor(Owner owner) {
        return budget.busyFor(owner);
    }

    /// Hosts of which something is remembered as long as they have a connection.
    int hostsInUse() {
        return idle.rhythms();
    }

    /// All connections, first to last. Displaced deliveries are on none.
    Iterable<Connection> all() {
        return book.all();
    }

    /// Cheaper than a [#snapshot].
    PlaceSnapshot.PlaceFigures figures() {
        return new PlaceSnapshot.PlaceFigures(budget.workers(), book.size(), book.opening(), book.unproven(),
                rules.mostUnproven(budget.workers()));
    }

    PlaceSnapshot snapshot(long possibleDuplicates, int displaced, long nowMillis) {
        return PlaceSnapshot.of(book, idle, hosts, budget, figures(),
                new PlaceSnapshot.HostCounts(book.opened(), possibleDuplicates, displaced), nowMillis);
    }
}
