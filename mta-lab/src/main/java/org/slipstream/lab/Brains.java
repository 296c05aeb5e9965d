package org.slipstream.lab;

import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.QmgrTrace;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.TransportSettings;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.Seating;

import java.time.Duration;
import java.util.Random;
import java.util.random.RandomGenerator;

/// Makes the queue manager of a simulated world, as the server makes its own.
public final class Brains {
    private static final String SMTP = "smtp";
    private static final Duration IDLE_AGE = Duration.ofSeconds(300);

    private Brains() {}

    /// A queue manager that places mail by SMTP by these rules.
    ///
    /// @param hosts what is known of hosts
    /// @param lots chooses among equal hosts; a generator of its own, so that such a choice changes
    ///     nothing else in a world
    static QueueManager of(QmgrConfig config, PlaceRules rules, DestDb hosts, RandomGenerator lots,
            RandomGenerator chance, QmgrTrace trace) {
        return new QueueManager(config,
                new Seating(transport -> transport.equals(SMTP) ? rules : config.plainRules(transport), hosts,
                        HostKeys.BY_NAME, HostMemory.NONE, lots),
                chance, trace);
    }

    /// A queue manager that has one delivery at a time on each connection.
    public static QueueManager oneAtATime(QmgrConfig config, RandomGenerator chance, QmgrTrace trace) {
        PlaceRules rules = oneAtATime(config);
        return of(config, rules, new DestDb(rules.memory()), new Random(0), chance, trace);
    }

    /// One delivery at a time on each connection, no rationing and no memory that Postfix does not
    /// have: with one host per destination the placement decides as Postfix.
    public static PlaceRules oneAtATime(QmgrConfig config) {
        return config.plainRules(SMTP).with(PlaceRules.defaults().memory().withRetry(config.queue().minimalBackoff(),
                Duration.ZERO, config.queue().maximalBackoff()));
    }

    /// The rules that the server derives from the same settings.
    public static PlaceRules production(QmgrConfig config) {
        TransportSettings smtp = config.transport(SMTP);
        int perHost = smtp.concurrencyLimit() == 0
                ? smtp.processLimit()
                : Math.min(smtp.processLimit(), smtp.concurrencyLimit());
        PlaceRules usual = PlaceRules.defaults();
        return usual.withWorkers(smtp.processLimit(), perHost)
                .with(new PlaceRules.Idle(usual.idle().perHost(), config.queue().idleConnection(), IDLE_AGE))
                .with(usual.memory().withRetry(config.queue().minimalBackoff(), usual.memory().crowded(),
                        usual.memory().closed()));
    }
}
