package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;

import java.util.ArrayList;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;

/// A picture for operators.
///
/// @param hosts with connections or records, in order
/// @param connections in order of opening
/// @param busy workers with something to do
public record PlaceSnapshot(List<Host> hosts, List<ConnectionInfo> connections, int workers, int busy, Figures figures,
        Counts counts) {
    public PlaceSnapshot {
        hosts = List.copyOf(hosts);
        connections = List.copyOf(connections);
    }

    /// How many connections there are, and how many of them wait.
    ///
    /// @param most there may be
    /// @param open opening, busy or idle
    /// @param opening being made, or waiting for the peer's greeting
    /// @param unproven of these, to hosts that are not known to work
    /// @param mostUnproven no more than so many
    public record Figures(int most, int open, int opening, int unproven, int mostUnproven) {
        /// Mail for a host that is not known to work has to wait.
        public boolean isShort() {
            return unproven >= mostUnproven;
        }
    }

    /// Since the start.
    ///
    /// @param opened connections
    /// @param possibleDuplicates deliveries that were sent completely and not answered; they are tried again later
    /// @param withoutSeat loads that lost their seat and wait for another, at present
    public record Counts(long opened, long possibleDuplicates, int withoutSeat) {}

    /// @param states what is known, the present first
    public record Host(HostKey host, String name, List<HostState> states) {}

    /// @param depth unanswered loads that it bears
    public record ConnectionInfo(long number, Candidate host, boolean up, int queued, int depth, long answered, long openedMillis,
            List<String> destinations) {}

    static PlaceSnapshot of(ConnectionBook book, IdlePool idle, DestDb hosts, WorkerBudget budget,
            Figures figures, Counts counts, long nowMillis) {
        SequencedMap<HostKey, Host> all = new TreeMap<>();
        hosts.list(nowMillis).forEach((key, states) -> all.put(key, new Host(key, hosts.name(key), states)));
        List<ConnectionInfo> lines = new ArrayList<>();
        for (Connection c : book.all()) {
            lines.add(new ConnectionInfo(c.number, c.host, c.up, c.queued(), c.depth, c.answered, c.openedMillis,
                    c.destinations()));
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
        return new PlaceSnapshot(List.copyOf(all.values()), lines, budget.workers(), budget.busy(), figures,
                counts);
    }

    private static boolean isPresent(HostState state) {
        return state instanceof HostState.Active || state instanceof HostState.Idle;
    }
}
