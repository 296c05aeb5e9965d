package org.slipstream.server.hosts;

import org.slipstream.admin.operations.Operations;
import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.qmgr.QueueQueries;
import org.slipstream.qmgr.SeededChance;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.journal.JournalObserver;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.PlaceSnapshot;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.shard.Leases;
import org.slipstream.qmgr.trace.QmgrSnapshot;
import org.slipstream.smtpout.ClientConfig;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// The placement as this server uses it, and operators' queries about it. It belongs to the queue
/// manager's thread once that runs.
public final class ServerPlacement {
    private static final String SMTP = "smtp";

    private final Seating seating;
    private volatile ClientConfig client;
    private final LongSupplier clockMillis;

    /// The start of a placement: records of the last run, and the seed of this one.
    ///
    /// @param known host records of the last run
    /// @param startMillis of this run
    /// @param seed of the choice among equal hosts
    /// @param journal gets the keys of hosts
    /// @param leases of lanes that other shards use too
    public record PlacementStart(List<HostRow> known, long startMillis, long seed,
            Optional<JournalObserver> journal, Leases leases) {
        public PlacementStart(List<HostRow> known, long startMillis, long seed, Optional<JournalObserver> journal) {
            this(known, startMillis, seed, journal, Leases.whole());
        }
    }

    /// @param rules of each transport
    /// @param memory keeps changed host records
    public ServerPlacement(Function<String, PlaceRules> rules, ClientConfig client, HostMemory memory,
            LongSupplier clockMillis, PlacementStart start) {
        this.client = client;
        DestDb hosts = new DestDb(rules.apply(SMTP).memory());
        start.known().forEach(row -> hosts.learn(row, start.startMillis()));
        HostKeys keys = this::hostKey;
        this.seating = new Seating(rules, hosts, start.journal().map(each -> each.recorded(keys)).orElse(keys), memory,
                SeededChance.ofHosts(start.seed()), start.leases());
        this.clockMillis = clockMillis;
    }

    /// Other settings of connections, on which the keys of hosts depend.
    public void change(ClientConfig others) {
        client = others;
    }

    private HostKey hostKey(Route.Smtp route, Route.Host host) {
        return client.hostKey(route, host);
    }

    public Seating seating() {
        return seating;
    }

    /// Only on the queue manager's thread.
    ///
    /// @param route to one host
    public boolean breaksUnderPipelining(Route route) {
        HostKeys keys = client::hostKey;
        HostKey host = route instanceof Route.Smtp smtp ? keys.of(smtp, smtp.hosts().getFirst()) : keys.of(route);
        return seating.hosts().oneAtATime(host, clockMillis.getAsLong()).isPresent();
    }

    /// The suspended hosts. Only on the queue manager's thread.
    public List<SuspendedHost> suspended(long nowMillis) {
        return seating.hosts().suspended(nowMillis).entrySet().stream()
                .map(host -> new SuspendedHost(host.getKey(), seating.hosts().name(host.getKey()), host.getValue()))
                .toList();
    }

    /// The seat that the next waiting delivery of a message would get now, with the reasons against
    /// other hosts; empty when none waits. Only on the queue manager's thread.
    public Optional<Seat> explain(QueueQueries manager, QueueId id, long nowMillis) {
        return manager.about(id, nowMillis).flatMap(QmgrSnapshot.ActiveMessage::waits)
                .map(waits -> seating.find(id, waits.route(), waits.mayOpen(), nowMillis));
    }

    /// The records of hosts. Only on the queue manager's thread.
    public List<HostRow> hosts() {
        return seating.hosts().export(clockMillis.getAsLong());
    }

    /// Only on the queue manager's thread.
    public Operations.ConnectionsView connections() {
        PlaceSnapshot.PlaceFigures now = seating.figures();
        return new Operations.ConnectionsView(now.most(), now.open(), now.opening(), now.unproven(),
                now.mostUnproven());
    }

    /// Remote hosts with their connections. Only on the queue manager's thread.
    public PlaceSnapshot snapshot() {
        return seating.snapshot(clockMillis.getAsLong());
    }
}
