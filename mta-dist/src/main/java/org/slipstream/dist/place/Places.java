package org.slipstream.dist.place;

import org.slipstream.admin.Operations;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.dist.desk.SuspendedHost;
import org.slipstream.qmgr.QmgrSnapshot;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.Seating;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.HostRow;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.PlaceSnapshot;
import org.slipstream.qmgr.place.PlacementSeating;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.qmgr.place.Workers;
import org.slipstream.smtpout.ClientConfig;

import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/// The second half of the brain, as this server uses it. Like the first, it belongs to the queue manager's thread once that
/// runs.
public final class Places {
    private final Workers workers;
    private final PlacementSeating seating;
    private final ClientConfig client;
    private final LongSupplier clockMillis;

    /// @param lanes seats what does not go by SMTP
    /// @param known what was remembered of hosts
    /// @param memory hears what is to be remembered
    public Places(PlaceRules rules, Seating lanes, ClientConfig client, List<HostRow> known, HostMemory memory,
            LongSupplier clockMillis) {
        DestDb hosts = new DestDb(rules);
        known.forEach(row -> hosts.learn(row, clockMillis.getAsLong()));
        this.workers = new Workers(rules, hosts, RandomGenerator.getDefault());
        this.seating = new PlacementSeating(lanes, workers, client::hostKey, memory);
        this.client = client;
        this.clockMillis = clockMillis;
    }

    public Seating seating() {
        return seating;
    }

    /// Only on the queue manager's thread.
    ///
    /// @param route to one host
    public boolean breaksUnderPipelining(Route.Smtp route) {
        return workers.hosts().habit(client.hostKey(route, route.hosts().getFirst()), clockMillis.getAsLong())
                .isPresent();
    }

    /// The hosts that are left alone. Only on the queue manager's thread.
    public List<SuspendedHost> suspended(long nowMillis) {
        return workers.hosts().suspended(nowMillis).entrySet().stream()
                .map(host -> new SuspendedHost(host.getKey(), workers.hosts().name(host.getKey()), host.getValue()))
                .toList();
    }

    /// Where the next delivery of a message that waits would go now, and why not elsewhere; empty when nothing of it waits to go by SMTP. Only
    /// on the queue manager's thread.
    public Optional<Seat> explain(QueueManager manager, QueueId id, long nowMillis) {
        return manager.about(id, nowMillis).flatMap(QmgrSnapshot.ActiveMessage::waits)
                .filter(waits -> waits.route() instanceof Route.Smtp)
                .map(waits -> seating.explain(id, (Route.Smtp) waits.route(), waits.mayOpen(), nowMillis));
    }

    /// Only on the queue manager's thread.
    public Operations.ConnectionsView connections() {
        PlaceSnapshot.Figures now = workers.figures();
        return new Operations.ConnectionsView(now.most(), now.open(), now.opening(), now.unproven(),
                now.mostUnproven());
    }

    Workers workers() {
        return workers;
    }
}
