package org.slipstream.server.hosts;

import org.slipstream.admin.Operations;
import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.qmgr.QmgrSnapshot;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.HostRow;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.PlaceSnapshot;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.server.dispatch.SuspendedHost;
import org.slipstream.smtpout.ClientConfig;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/// The placement as this server uses it, and operators' queries to it. It belongs to the queue
/// manager's thread once that runs.
public final class ServerPlacement {
    private static final String SMTP = "smtp";

    private final Seating seating;
    private final ClientConfig client;
    private final LongSupplier clockMillis;

    /// @param rules of each transport
    /// @param known host records of the last run
    /// @param memory keeps changed host records
    public ServerPlacement(Function<String, PlaceRules> rules, ClientConfig client, List<HostRow> known,
            HostMemory memory,
            LongSupplier clockMillis) {
        DestDb hosts = new DestDb(rules.apply(SMTP).memory());
        known.forEach(row -> hosts.learn(row, clockMillis.getAsLong()));
        this.seating = new Seating(rules, hosts, client::hostKey, memory, RandomGenerator.getDefault());
        this.client = client;
        this.clockMillis = clockMillis;
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
    public Optional<Seat> explain(QueueManager manager, QueueId id, long nowMillis) {
        return manager.about(id, nowMillis).flatMap(QmgrSnapshot.ActiveMessage::waits)
                .map(waits -> seating.find(id, waits.route(), waits.mayOpen(), nowMillis));
    }

    /// Only on the queue manager's thread.
    public Operations.ConnectionsView connections() {
        PlaceSnapshot.PlaceFigures now = seating.figures(SMTP);
        return new Operations.ConnectionsView(now.most(), now.open(), now.opening(), now.unproven(),
                now.mostUnproven());
    }

    /// Remote hosts with their connections. Only on the queue manager's thread.
    PlaceSnapshot snapshot() {
        return seating.snapshot(SMTP, clockMillis.getAsLong());
    }

    /// Only on the queue manager's thread.
    DestDb hosts() {
        return seating.hosts();
    }

    /// Only on the queue manager's thread.
    void suspend(HostKey host, String why, String author, long untilMillis) {
        seating.suspend(host, why, author, untilMillis, clockMillis.getAsLong());
    }
}
