package org.slipstream.lab;

import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.QmgrTrace;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.TransportSettings;
import org.slipstream.qmgr.lane.LaneSeating;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.PlacementSeating;
import org.slipstream.qmgr.place.WorkerBudget.Shares;
import org.slipstream.qmgr.place.Workers;

import java.util.random.RandomGenerator;

/// Makes the queue manager of a simulated world, as the server makes its own.
public final class Brains {
    private static final long IDLE_AGE_MILLIS = 300_000;
    private static final long CROWDED_MILLIS = 60_000;
    private static final long CLOSED_MEMORY_MILLIS = 3_600_000;

    private Brains() {}

    /// A queue manager that places by these rules.
    ///
    /// @param hosts what is known of hosts
    static QueueManager of(QmgrConfig config, PlaceRules rules, DestDb hosts, RandomGenerator chance,
            QmgrTrace trace) {
        Workers workers = new Workers(rules, hosts, chance);
        return new QueueManager(config,
                new PlacementSeating(new LaneSeating(config), workers, HostKeys.BY_NAME, HostMemory.NONE), chance,
                trace);
    }

    /// A queue manager that has one delivery at a time on each connection.
    public static QueueManager oneAtATime(QmgrConfig config, RandomGenerator chance, QmgrTrace trace) {
        return new QueueManager(config, new LaneSeating(config), chance, trace);
    }

    /// One delivery at a time on each connection, no rationing and no memory that Postfix does not have: with one host per
    /// destination the placement decides as Postfix.
    public static PlaceRules oneAtATime(QmgrConfig config) {
        return production(config).withDepth(1, 1, 1).withShares(new Shares(Integer.MAX_VALUE, 0), new Shares(1, 0))
                .withAges(Integer.MAX_VALUE, config.idleLaneMillis(), IDLE_AGE_MILLIS)
                .withMemory(config.minimalBackoffMillis(), 0, CLOSED_MEMORY_MILLIS)
                .withUnproven(PlaceRules.Unproven.UNLIMITED);
    }

    /// The rules that the server derives from the same settings.
    public static PlaceRules production(QmgrConfig config) {
        TransportSettings smtp = config.transport("smtp");
        int perHost = smtp.concurrencyLimit() == 0
                ? smtp.processLimit()
                : Math.min(smtp.processLimit(), smtp.concurrencyLimit());
        PlaceRules usual = PlaceRules.defaults();
        return usual.withWorkers(smtp.processLimit(), perHost)
                .withAges(usual.idlePerHost(), config.idleLaneMillis(), IDLE_AGE_MILLIS)
                .withMemory(config.minimalBackoffMillis(), CROWDED_MILLIS, CLOSED_MEMORY_MILLIS);
    }
}
