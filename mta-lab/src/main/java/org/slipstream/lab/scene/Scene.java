package org.slipstream.lab.scene;

import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.ServerProfile;
import org.slipstream.lab.TransportNames;

import java.util.Collections;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;

/// A scenario file, read.
///
/// @param file its name, for messages
/// @param title one line
/// @param story what it shows, for readers
/// @param messages the scenario's messages by id, as the file calls them
/// @param transports the file's transport names and what stands for them
/// @param stopMillis when the simulation ends, even with deliveries under way; `Long.MAX_VALUE` for
///     the end of all mail
/// @param changes keys that have another value than in the file, each as `key=value`
public record Scene(String file, String title, String story, Scenario scenario,
        SequencedMap<QueueId, SceneMessage> messages,
        TransportNames transports, long stopMillis, Expectations expected, List<String> changes) {
    public Scene {
        messages = Collections.unmodifiableSequencedMap(messages);
        changes = List.copyOf(changes);
    }

    /// The same scene as one with changed keys. Nothing is expected of it.
    Scene with(List<String> changedKeys) {
        return new Scene(file, title, story, scenario, messages, transports, stopMillis,
                new Expectations(List.of()), changedKeys);
    }

    /// The changed keys, or that there is none.
    public String variant() {
        return changes.isEmpty() ? "as written" : String.join(" ", changes);
    }

    /// The file names hosts of a destination.
    public boolean hasHosts() {
        return scenario.places().stream().map(Scenario.SimulatedPlace::route)
                .anyMatch(route -> route instanceof Route.Smtp smtp
                        && !smtp.hosts().stream().map(Route.Host::name).toList().equals(List.of(smtp.nextHop())));
    }

    /// Sessions that the servers of each destination take at once, by transport and next hop. A
    /// destination without a limit is left out.
    SequencedMap<String, Integer> serverLimits() {
        SequencedMap<String, Integer> limits = new TreeMap<>();
        for (Scenario.SimulatedPlace place : scenario.places()) {
            long sessions = place.servers().values().stream().mapToLong(ServerProfile::sessions).sum();
            if (sessions < Integer.MAX_VALUE) {
                limits.put(transports.theirs(place.route().transport()) + "/" + place.route().nextHop(),
                        (int) sessions);
            }
        }
        return limits;
    }

    /// A message of the file.
    ///
    /// @param name that of its `[[messages]]`; the messages of a stream share it
    /// @param number within its stream, from 1
    /// @param ofMany messages in the stream
    public record SceneMessage(String name, int number, int ofMany) {
        /// A name that is unique within its stream.
        @Override
        public String toString() {
            return ofMany == 1 ? name : name + "#" + number;
        }
    }
}
