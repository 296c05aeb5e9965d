package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/// All connections, and who sits on them.
///
/// The ladder asks three things: which connections to this host are active, newest first; how many there are; how many
/// connections serve this destination. Each is kept ready, so that no question walks over other hosts' connections (FI-30).
/// Two ledgers are debited in the same step: the destination's, whose window is charged with each connection that opens for
/// it or serves it, and the payer's in [WorkerBudget], for whom a worker is busy with the first load of a connection.
///
/// Data: it orders nothing and decides nothing.
final class ConnectionBook {
    private static final NavigableMap<Long, Connection> NONE = Collections.emptyNavigableMap();

    private final WorkerBudget budget;
    private final SequencedMap<Long, Connection> byNumber = new LinkedHashMap<>();
    private final Map<HostKey, Host> hosts = new LinkedHashMap<>();
    private final Map<String, Integer> serving = new LinkedHashMap<>();
    private long numbers;

    /// The longest waiting first.
    private final SequencedMap<Long, Connection> unproven = new LinkedHashMap<>();

    /// The connections to one host.
    private static final class Host {
        /// With loads, newest first.
        final NavigableMap<Long, Connection> active = new TreeMap<>(Comparator.reverseOrder());
        int all;
        int up;
    }

    ConnectionBook(WorkerBudget budget) {
        this.budget = budget;
    }

    /// A new connection, opened for this load.
    Connection open(Candidate where, Load first, Connection.Standing standing, int depth, long nowMillis) {
        Connection connection = new Connection(++numbers, where, standing, nowMillis, depth);
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
        hosts.get(connection.host.host()).up++;
    }

    void assign(Connection connection, Load load) {
        if (connection.isIdle()) {
            hosts.get(connection.host.host()).active.put(connection.number, connection);
            budget.begins(load.payer());
        }
        if (connection.add(load)) {
            serving.merge(load.destination(), 1, Integer::sum);
        }
    }

    /// Takes a load off its connection; empty when it does not sit there.
    Optional<Load> take(Connection connection, long delivery) {
        Optional<Load> head = connection.head();
        Optional<Load> taken = connection.remove(delivery);
        taken.ifPresent(load -> {
            if (!connection.serves(load.destination())) {
                serving.compute(load.destination(), (_, n) -> n == 1 ? null : n - 1);
            }
            if (head.orElseThrow() == load) {
                budget.ends(load.payer());
                connection.head().ifPresent(next -> budget.begins(next.payer()));
            }
            if (connection.isIdle()) {
                hosts.get(connection.host.host()).active.remove(connection.number);
            }
        });
        return taken;
    }

    /// Strikes out a connection. Its loads are returned, first to last.
    List<Load> remove(Connection connection) {
        List<Load> loads = connection.loads();
        loads.forEach(load -> take(connection, load.delivery()));
        byNumber.remove(connection.number);
        unproven.remove(connection.number);
        Host host = hosts.get(connection.host.host());
        if (connection.up) {
            host.up--;
        }
        if (--host.all == 0) {
            hosts.remove(connection.host.host());
        }
        return loads;
    }

    Optional<Connection> find(long number) {
        return Optional.ofNullable(byNumber.get(number));
    }

    /// True for numbers that were given out, whatever became of the connection.
    boolean hasIssued(long number) {
        return number > 0 && number <= numbers;
    }

    int size() {
        return byNumber.size();
    }

    long opened() {
        return numbers;
    }

    /// Connections that wait for the greeting of a host that is not known to work.
    int unproven() {
        return unproven.size();
    }

    /// Those of them whose host failed the last time. At most as many as there are workers.
    int unprovenFailed() {
        return (int) unproven.values().stream().filter(c -> c.standing == Connection.Standing.FAILED).count();
    }

    /// The one that has waited for longest.
    Optional<Connection> longestUnproven() {
        return unproven.isEmpty() ? Optional.empty() : Optional.of(unproven.firstEntry().getValue());
    }

    /// Connections that are not up, to whatever host.
    int opening() {
        return (int) byNumber.values().stream().filter(c -> !c.up).count();
    }

    /// Opening or busy, newest first.
    Collection<Connection> active(HostKey host) {
        Host known = hosts.get(host);
        return (known == null ? NONE : known.active).values();
    }

    /// Opening, busy or idle.
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

    Collection<HostKey> hosts() {
        return Collections.unmodifiableCollection(hosts.keySet());
    }
}
