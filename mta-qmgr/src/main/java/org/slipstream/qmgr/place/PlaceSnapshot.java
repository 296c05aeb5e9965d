package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;

import java.util.ArrayList;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;

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
    }

    /// Counters since the start.
    ///
    /// @param opened connections
    /// @param possibleDuplicates deliveries that were sent completely and not answered; they are
    /// tried again later
    /// @param withoutSeat displaced deliveries at present
    public record HostCounts(long opened, long possibleDuplicates, int withoutSeat) {}

    /// @param states the current state first
    public record Host(HostKey host, String name, List<HostState> states) {}

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

    static ConnectionInfo info(Connection c) {
        return new ConnectionInfo(c.number, c.host, c.up, c.queued(), c.depth, c.answered, c.openedMillis,
                c.destinations());
    }

    private static boolean isPresent(HostState state) {
        return state instanceof HostState.Active || state instanceof HostState.Idle;
    }
}
