package org.slipstream.qmgr.trace;

import org.slipstream.core.ProviderTable;
import org.slipstream.qmgr.wake.ProviderSettings;

import java.util.List;

/// A provider and its mail in memory.
///
/// @param hosts names of MX hosts, and suffixes that begin with a dot
/// @param limits in force, those of operators too
/// @param destinations with mail in memory
/// @param waiting deliveries
/// @param started deliveries of the current period of the rate
public record ProviderFigures(String name, List<String> hosts, List<String> networks, ProviderSettings limits,
        int destinations, int waiting, int connections, int started) {
    public static ProviderFigures other() {
        return new ProviderFigures(ProviderTable.OTHER, List.of(), List.of(), ProviderSettings.NONE, 0, 0, 0, 0);
    }

    public ProviderFigures plus(int moreDestinations, int moreWaiting, int moreConnections, int moreStarted) {
        return new ProviderFigures(name, hosts, networks, limits, destinations + moreDestinations,
                waiting + moreWaiting, connections + moreConnections, started + moreStarted);
    }

    /// The same provider in another shard.
    public ProviderFigures plus(ProviderFigures shard) {
        return plus(shard.destinations, shard.waiting, shard.connections, shard.started);
    }
}
