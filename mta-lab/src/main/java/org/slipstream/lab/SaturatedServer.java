package org.slipstream.lab;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.SettingsRecords;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.QueueSettings;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/// A server that relays as many messages as it can: as soon as one leaves, a client sends another.
/// It measures the messages a second and how long each part of the server is at work.
///
/// **Slow motion.** A queue manager counts milliseconds, and its work takes microseconds. So one
/// millisecond of the simulation is a microsecond of the model, and all settings with a duration are
/// a thousand times as long. The queue managers cannot tell the difference.
public final class SaturatedServer {
    /// Milliseconds of the simulation for a millisecond of the model.
    private static final int SLOWNESS = 1_000;
    private static final long SECOND = 1_000_000;
    private static final long SEED = 17;
    private static final QueueSettings USUAL = QueueSettings.defaults();

    /// The model of a server. Times are in microseconds.
    ///
    /// @param clients that have one message each in the server
    /// @param lanes connections at once, of all shards
    /// @param destinations with equal mail
    /// @param delivery time of a delivery
    /// @param message time of a message between a shard and the broker of leases
    /// @param window time of the measurement, after a warm-up of the same length
    public record SaturatedModel(ShardCosts costs, int clients, int lanes, int destinations, long delivery,
            long message, long window) {}

    /// The figures of a run. Shares of time are from 0 to 1, means over the shards or the
    /// processors.
    ///
    /// @param manager time of queue managers' threads
    /// @param log time of logs' threads, without waits for a disk
    /// @param lanes connections that deliver, of all that are permitted
    /// @param leaseOrders of shards to the broker for each message
    public record LoadFigures(double messagesPerSecond, double listener, double manager, double log, double disk,
            double lanes, double leaseOrders) {
        /// The part that is nearest to its limit.
        public String limit() {
            double most = Math.max(Math.max(Math.max(listener, manager), Math.max(log, disk)), lanes);
            if (most < 0.9) {
                return "clients";
            }
            return most == listener
                    ? "listener"
                    : most == manager ? "brain" : most == log ? "log" : most == disk ? "disk" : "connections";
        }
    }

    /// The times of all parts until now.
    private record WorkSums(long sent, long listener, long manager, long log, long disk, long delivering,
            long leaseOrders) {}

    private final SaturatedModel model;
    private final World world;
    private final SimulatedStation listener;
    private long sent;
    private long deliveries;
    private long numbers;

    private SaturatedServer(int shards, SaturatedModel model) {
        this.model = model;
        QmgrConfig config = config(model);
        List<SimulatedDomain> domains = IntStream.range(0, model.destinations())
                .mapToObj(SaturatedServer::name).map(name -> new SimulatedDomain(name, new Route.Smtp(name,
                        List.of(new Route.Host("mx." + name, 25, 10))), 0, false,
                        ServerProfile.taking(model.delivery())))
                .toList();
        Scenario scenario = new Scenario(SEED, config, true, List.of(), domains, new OwnServer(0, 1, 1, 0, 0),
                List.of(), List.of(), rules(config));
        this.world = new World(scenario, ShardPlan.of(shards).with(model.costs()).withMessages(model.message()),
                new WorldObserver() {
                    @Override
                    public void ordered(long nowMillis, QmgrOrder order) {
                        switch (order) {
                            case QmgrOrder.Remove _ -> {
                                sent++;
                                send();
                            }
                            case QmgrOrder.Deliver _ -> deliveries++;
                            default -> {
                                // Only these two count.
                            }
                        }
                    }
                }).atMost(Long.MAX_VALUE).withoutStateChecks();
        this.listener = new SimulatedStation(world.clock(), model.costs().listenerProcessors());
    }

    /// Runs a server with this number of shards.
    public static LoadFigures run(int shards, SaturatedModel model) {
        return new SaturatedServer(shards, model).measure();
    }

    private LoadFigures measure() {
        for (int i = 0; i < model.clients(); i++) {
            send();
        }
        world.run(model.window());
        WorkSums before = sums();
        world.run(2 * model.window());
        return figures(before, sums());
    }

    private WorkSums sums() {
        List<SimulatedShard> shards = world.shards().all();
        return new WorkSums(sent, listener.busySum(), shards.stream().mapToLong(SimulatedShard::busySum).sum(),
                shards.stream().mapToLong(shard -> shard.spool.log().busySum()).sum(),
                world.disks().stream().mapToLong(SimulatedStation::busySum).sum(), deliveries * model.delivery(),
                world.broker().orders());
    }

    private LoadFigures figures(WorkSums before, WorkSums after) {
        double time = model.window();
        int shards = world.shards().all().size();
        int disks = Math.min(world.disks().size(), shards);
        return new LoadFigures((after.sent() - before.sent()) / time * SECOND,
                (after.listener() - before.listener()) / time / listener.servers(),
                (after.manager() - before.manager()) / time / shards, (after.log() - before.log()) / time / shards,
                (after.disk() - before.disk()) / time / disks,
                (after.delivering() - before.delivering()) / time / model.lanes(),
                (double) (after.leaseOrders() - before.leaseOrders()) / Math.max(1, after.sent() - before.sent()));
    }

    private void send() {
        listener.serve(model.costs().perArrival(), () -> {
            long number = ++numbers;
            world.arrive(new SimulatedMail(new QueueId(number), world.nowMillis(),
                    Optional.of(Address.of("client@" + name(0))),
                    List.of(new SimulatedRecipient(
                            Address.of("u" + number + "@" + name((int) (number % model.destinations()))),
                            new ReplyScript.Welcome()))));
        });
    }

    private static String name(int number) {
        return "d" + number + ".example";
    }

    private static QmgrConfig config(SaturatedModel model) {
        QueueSettings queue = SettingsRecords.with(USUAL,
                Map.of("minimalBackoff", slow(USUAL.minimalBackoff()), "maximalBackoff", slow(USUAL.maximalBackoff()),
                        "lifetime", slow(USUAL.lifetime()), "bounceLifetime", slow(USUAL.bounceLifetime()),
                        "idleConnection", slow(USUAL.idleConnection()), "scanInterval", slow(USUAL.scanInterval()),
                        "spacedStarts", false));
        TransportSettings smtp = TransportSettings.defaults().withConcurrency(model.lanes(),
                TransportSettings.defaults().initialConcurrency(), TransportSettings.defaults().concurrencyLimit());
        return QmgrConfig.of(queue, TransportTable.of(smtp));
    }

    // Connections stay open as long as in a server, and carry one delivery at a time.
    private static PlaceRules rules(QmgrConfig config) {
        PlaceRules rules = QueueManagers.production(config);
        return rules.with(PlaceRules.Depth.ONE).with(new PlaceRules.Idle(rules.idle().perHost(),
                slow(USUAL.idleConnection()), slow(rules.idle().age())));
    }

    private static Duration slow(Duration usual) {
        return usual.multipliedBy(SLOWNESS);
    }
}
