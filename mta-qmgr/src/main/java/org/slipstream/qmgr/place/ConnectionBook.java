package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/// All connections of a transport with their assignments. Each question of the placement algorithm
/// is answered without a walk over other hosts' connections (FI-30).
///
/// The placement algorithm asks for the active connections to a host, newest first; for their
/// number; and for the number of connections that serve a destination. Two ledgers change in the
/// same step. The destination's window is charged with each connection that opens for it or serves
/// it. In [WorkerBudget] a worker is busy for the owner of the connection's first assignment.
///
/// It only stores data: it gives no orders and makes no decisions.
final class ConnectionBook {
    private static final NavigableMap<Long, Connection> NONE = Collections.emptyNavigableMap();

    private final WorkerBudget budget;
    private final SequencedMap<Long, Connection> byNumber = new LinkedHashMap<>();
    private final Map<HostKey, Host> hosts = new LinkedHashMap<>();
    private final Map<String, Integer> serving = new LinkedHashMap<>();
    private final LongSupplier numbers;
    private long opened;

    /// The longest waiting first.
    private final SequencedMap<Long, Connection> unproven = new LinkedHashMap<>();

    /// The connections to one host.
    private static final class Host {
        /// With assignments, newest first.
        final NavigableMap<Long, Connection> active = new TreeMap<>(Comparator.reverseOrder());
        int all;
        int up;
    }

    private Host hostOf(Connection connection) {
        return Objects.requireNonNull(hosts.get(connection.host.host()));
    }

    /// @param numbers a source of unique connection numbers
    ConnectionBook(WorkerBudget budget, LongSupplier numbers) {
        this.budget = budget;
        this.numbers = numbers;
    }

    /// A new connection, opened for this assignment.
    Connection open(Candidate where, Assignment first, Connection.ConnectionStanding standing, int depth,
            long nowMillis) {
        Connection connection = new Connection(numbers.getAsLong(), where, standing, nowMillis, depth);
        opened++;
        if (connection.isUnproven()) {
            unproven.put(connection.number, connection);
        }
        byNumber.put(connection.number, connection);
        hosts.computeIfAbsent(where.host(), _ -> new Host()).all++;
        assign(connection, first);
        return connection;
    }

    void isUp(Connection connection) {
        connection.up = true;
        unproven.remove(connection.number);
        hostOf(connection).up++;
    }

    void assign(Connection connection, Assignment assignment) {
        if (connection.isIdle()) {
            hostOf(connection).active.put(connection.number, connection);
            budget.begins(assignment.owner());
        }
        if (connection.add(assignment)) {
            serving.merge(assignment.destination(), 1, Integer::sum);
        }
    }

    /// Removes an assignment from its connection; empty when it is not there.
    Optional<Assignment> take(Connection connection, long delivery) {
        Optional<Assignment> head = connection.head();
        Optional<Assignment> taken = connection.remove(delivery);
        taken.ifPresent(assignment -> {
            if (!connection.serves(assignment.destination())) {
                serving.compute(assignment.destination(), (_, n) -> n == 1 ? null : n - 1);
            }
            if (head.orElseThrow() == assignment) {
                budget.ends(assignment.owner());
                connection.head().ifPresent(next -> budget.begins(next.owner()));
            }
            if (connection.isIdle()) {
                hostOf(connection).active.remove(connection.number);
            }
        });
        return taken;
    }

    /// Removes a connection and returns its assignments, first to last.
    List<Assignment> remove(Connection connection) {
        List<Assignment> assignments = connection.assignments();
        assignments.forEach(assignment -> take(connection, assignment.number()));
        byNumber.remove(connection.number);
        unproven.remove(connection.number);
        Host host = hostOf(connection);
        if (connection.up) {
            host.up--;
        }
        if (--host.all == 0) {
            hosts.remove(connection.host.host());
        }
        return assignments;
    }

    Optional<Connection> find(long number) {
        return Optional.ofNullable(byNumber.get(number));
    }

    int size() {
        return byNumber.size();
    }

    /// Since the start.
    long opened() {
        return opened;
    }

    /// Connections that wait for the greeting of a host that is not known to work.
    int unproven() {
        return unproven.size();
    }

    /// Unproven connections to hosts that failed the last time. The cost is at most the number of
    /// workers.
    int unprovenFailed() {
        return (int) unproven.values().stream().filter(c -> c.standing == Connection.ConnectionStanding.FAILED).count();
    }

    /// The unproven connection that has waited longest.
    Optional<Connection> longestUnproven() {
        return unproven.isEmpty() ? Optional.empty() : Optional.of(unproven.firstEntry().getValue());
    }

    /// Connections that are not up, to any host.
    int opening() {
        return (int) byNumber.values().stream().filter(c -> !c.up).count();
    }

    /// Opening or busy, newest first.
    Collection<Connection> active(HostKey host) {
        Host known = hosts.get(host);
        return (known == null ? NONE : known.active).values();
    }

    /// Opening, busy or idle.
    /// Hosts with a connection.
    List<HostKey> inUse() {
        return hosts.entrySet().stream().filter(each -> each.getValue().all > 0).map(Map.Entry::getKey).toList();
    }

    int connections(HostKey host) {
        Host known = hosts.get(host);
        return known == null ? 0 : known.all;
    }

    /// Busy or idle.
    int up(HostKey host) {
        Host known = hosts.get(host);
        return known == null ? 0 : known.up;
    }

    /// Connections that open for this destination or serve it.
    int serving(String destination) {
        return serving.getOrDefault(destination, 0);
    }

    Collection<Connection> all() {
        return Collections.unmodifiableCollection(byNumber.values());
    }
}
