package org.slipstream.lab.scenario;

import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.ServerProfile;
import org.slipstream.lab.ShardPlan;

import java.util.Collections;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;

/// The content of a scenario file.
///
/// @param name of the file, for error messages
/// @param title in one line
/// @param story what the scenario shows
/// @param shards of the server
/// @param messages of the file by id
/// @param stopMillis time at which the simulation ends even with deliveries under way;
///     `Long.MAX_VALUE` if it ends with the last message
/// @param changes keys with another value than in the file, each as `key=value`
public record ScenarioFile(String name, String title, String story, Scenario scenario, ShardPlan shards,
        SequencedMap<QueueId, ScenarioMessage> messages,
        long stopMillis, Expectations expected, List<String> changes) {
    public ScenarioFile {
        messages = Collections.unmodifiableSequencedMap(messages);
        changes = List.copyOf(changes);
    }

    /// The same file with changed keys and without expectations.
    ScenarioFile with(List<String> changedKeys) {
        return new ScenarioFile(name, title, story, scenario, shards, messages, stopMillis,
                new Expectations(List.of()), changedKeys);
    }

    /// For the run of a single message: one shard.
    ScenarioFile alone() {
        return new ScenarioFile(name, title, story, scenario, ShardPlan.ONE, messages, stopMillis, expected, changes);
    }

    /// Whether the server has more shards than one, or may get them.
    public boolean hasShards() {
        return !shards.equals(ShardPlan.ONE);
    }

    /// The changed keys, or `as written` without a change.
    public String variant() {
        return changes.isEmpty() ? "as written" : String.join(" ", changes);
    }

    /// Whether the file names hosts of a destination.
    public boolean hasHosts() {
        return scenario.domains().stream().map(Scenario.SimulatedDomain::route)
                .anyMatch(route -> route instanceof Route.Smtp smtp
                        && !smtp.hosts().stream().map(Route.Host::name).toList().equals(List.of(smtp.nextHop())));
    }

    /// The greatest number of sessions of the servers of each destination, by transport and next hop.
    /// A destination without a limit is left out.
    public SequencedMap<String, Integer> serverLimits() {
        SequencedMap<String, Integer> limits = new TreeMap<>();
        for (Scenario.SimulatedDomain target : scenario.domains()) {
            long sessions = target.servers().values().stream().mapToLong(ServerProfile::sessions).sum();
            if (sessions < Integer.MAX_VALUE) {
                limits.put(target.route().transport() + "/" + target.route().nextHop(),
                        (int) sessions);
            }
        }
        return limits;
    }

    /// A message of the file.
    ///
    /// @param name in `[[messages]]`; the messages of a stream have the same name
    /// @param number within its stream, from 1
    /// @param ofMany number of messages in the stream
    public record ScenarioMessage(String name, int number, int ofMany) {
        /// A name that is unique within its stream.
        @Override
        public String toString() {
            return ofMany == 1 ? name : name + "#" + number;
        }
    }
}
