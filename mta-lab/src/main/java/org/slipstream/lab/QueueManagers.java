package org.slipstream.lab;

import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.SeededChance;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.PlacementSettings;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.shard.Leases;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.time.Duration;
import java.util.random.RandomGenerator;

/// Makes the queue manager of a simulated world with the same classes as the server.
public final class QueueManagers {
    private static final String SMTP = "smtp";

    private QueueManagers() {}

    /// The queue manager of a shard, with these placement rules for the transport `smtp`.
    ///
    /// @param hosts what is known of hosts
    /// @param seed of the random numbers
    /// @param memory receives changed host records
    /// @param leases of the shard
    static QueueManager of(QmgrConfig config, PlaceRules rules, DestDb hosts, HostKeys keys, long seed,
            QmgrTrace trace, HostMemory memory, Leases leases) {
        return new QueueManager(config, seating(config, rules, hosts, keys, SeededChance.ofHosts(seed), memory, leases),
                SeededChance.ofOrder(seed), trace);
    }

    /// The placement with these rules for the transport `smtp`.
    public static Seating seating(QmgrConfig config, PlaceRules rules, DestDb hosts, HostKeys keys,
            RandomGenerator hostChoice) {
        return seating(config, rules, hosts, keys, hostChoice, HostMemory.NONE, Leases.whole());
    }

    /// The same for one of several shards.
    public static Seating seating(QmgrConfig config, PlaceRules rules, DestDb hosts, HostKeys keys,
            RandomGenerator hostChoice, HostMemory memory, Leases leases) {
        return new Seating(config.placement(rules), hosts, keys, memory, hostChoice, leases);
    }

    /// A queue manager with one delivery at a time on each connection.
    public static QueueManager oneAtATime(QmgrConfig config, RandomGenerator chance, QmgrTrace trace) {
        PlaceRules rules = oneAtATime(config);
        return new QueueManager(config, seating(config, rules, new DestDb(rules.memory()), HostKeys.BY_NAME,
                SeededChance.ofHosts(0)), chance, trace);
    }

    /// Rules with one delivery at a time on each connection, without shares of connections, and with
    /// no memory of hosts beyond that of Postfix. With one host per destination the placement decides
    /// as Postfix does.
    public static PlaceRules oneAtATime(QmgrConfig config) {
        return config.plainRules(SMTP).with(PlaceRules.defaults().memory().withRetry(config.queue().minimalBackoff(),
                Duration.ZERO, config.queue().maximalBackoff()));
    }

    /// The rules that the server derives from the same settings.
    public static PlaceRules production(QmgrConfig config) {
        return config.smtpRules(PlacementSettings.defaults());
    }
}
