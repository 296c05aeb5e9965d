package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/// A snapshot of the connections and host records of a transport, for operators.
///
/// @param hosts with connections or records, in order
/// @param connections in order of opening
/// @param busy workers with a delivery
public record PlaceSnapshot(List<Host> hosts, List<ConnectionInfo> connections, int workers, int busy,
        PlaceFigures figures,
        HostCounts counts) {
    public PlaceSnapshot {
        hosts = List.copyOf(hosts);
        connections = List.copyOf(connections);
    }

    /// The number of connections.
    ///
    /// @param most the limit
    /// @param open opening, busy or idle
    /// @param opening connections before the greeting of the host
    /// @param unproven of these, to hosts that are not known to work
    /// @param mostUnproven the limit of unproven connections
    public record PlaceFigures(int most, int open, int opening, int unproven, int mostUnproven) {
        /// True when mail for a host that is not known to work has to wait.
        public boolean isShort() {
            return unproven >= mostUnproven;
        }

        PlaceFigures and(PlaceFigures other) {
            return new PlaceFigures(most + other.most, open + other.open, opening + other.opening,
                    unproven + other.unproven, mostUnproven + other.mostUnproven);
        }
    }

    /// Counters since the start.
    ///
    /// @param opened connections
    /// @param possibleDuplicates deliveries that were sent completely and not answered; they are
    /// tried again later
    /// @param withoutSeat displaced deliveries at present
    public record HostCounts(long opened, long possibleDuplicates, int withoutSeat) {
        HostCounts and(HostCounts other) {
            return new HostCounts(opened + other.opened, possibleDuplicates + other.possibleDuplicates,
                    withoutSeat + other.withoutSeat);
        }
    }

    /// @param states the current state first
    public record Host(HostKey host, String name, List<HostState> states) {
        /// The same host for another transport. Records are common, connections are not.
        Host and(Host other) {
            if (!isPresent(states.getFirst()) || !isPresent(other.states.getFirst())) {
                return isPresent(other.states.getFirst()) ? other : this;
            }
            List<HostState> both = new ArrayList<>(states);
            both.set(0, together(states.getFirst(), other.states.getFirst()));
            return new Host(host, name, both);
        }

        private static HostState together(HostState one, HostState other) {
            if (one instanceof HostState.Active(int first) && other instanceof HostState.Active(int second)) {
                return new HostState.Active(first + second);
            }
            if (one instanceof HostState.Idle(int first) && other instanceof HostState.Idle(int second)) {
                return new HostState.Idle(first + second);
            }
            return one instanceof HostState.Active ? one : other;
        }
    }

    /// @param depth the target number of unanswered deliveries
    public record ConnectionInfo(long number, Candidate host, boolean up, int queued, int depth, long answered,
            long openedMillis,
            List<String> destinations) {}

    static PlaceSnapshot of(ConnectionBook book, IdlePool idle, DestDb hosts, WorkerBudget budget,
            PlaceFigures figures, HostCounts counts, long nowMillis) {
        SequencedMap<HostKey, Host> all = new TreeMap<>();
        hosts.list(nowMillis).forEach((key, states) -> all.put(key, new Host(key, hosts.name(key), states)));
        List<ConnectionInfo> infos = new ArrayList<>();
        for (Connection c : book.all()) {
            infos.add(info(c));
            HostKey key = c.host.host();
            Host known = all.get(key);
            if (known == null || known.states().stream().noneMatch(PlaceSnapshot::isPresent)) {
                int idleThere = idle.size(key);
                int active = book.connections(key) - idleThere;
                List<HostState> states = new ArrayList<>();
                states.add(active > 0 ? new HostState.Active(active) : new HostState.Idle(idleThere));
                if (known != null) {
                    states.addAll(known.states());
                }
                all.put(key, new Host(key, c.host.name(), states));
            }
        }
        return new PlaceSnapshot(List.copyOf(all.values()), infos, budget.workers(), budget.busy(), figures,
                counts);
    }

    /// Together with that of another transport.
    PlaceSnapshot and(PlaceSnapshot other) {
        SequencedMap<HostKey, Host> all = new TreeMap<>();
        Stream.concat(hosts.stream(), other.hosts.stream()).forEach(host -> all.merge(host.host(), host, Host::and));
        return new PlaceSnapshot(List.copyOf(all.values()),
                Stream.concat(connections.stream(), other.connections.stream())
                        .sorted(Comparator.comparingLong(ConnectionInfo::number)).toList(),
                workers + other.workers, busy + other.busy, figures.and(other.figures), counts.and(other.counts));
    }

    static ConnectionInfo info(Connection c) {
        return new ConnectionInfo(c.number, c.host, c.up, c.queued(), c.depth, c.answered, c.openedMillis,
                c.destinations());
    }

    private static boolean isPresent(HostState state) {
        return state instanceof HostState.Active || state instanceof HostState.Idle;
    }
}
