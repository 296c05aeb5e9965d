package org.slipstream.lab.scene;

import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.TransportNames;

import java.util.Collections;
import java.util.List;
import java.util.SequencedMap;

/// A scenario file, read.
///
/// @param file its name, for messages
/// @param title one line
/// @param story what it shows, for readers
/// @param messages the scenario's messages by id, as the file calls them
/// @param transports the file's transport names and what stands for them
/// @param stopMillis when the curtain falls, whatever is still on its way; `Long.MAX_VALUE` for when all is over
public record Scene(String file, String title, String story, Scenario scenario,
        SequencedMap<QueueId, SceneMessage> messages,
        TransportNames transports, long stopMillis, Expectations expected) {
    public Scene {
        messages = Collections.unmodifiableSequencedMap(messages);
    }

    /// The file names hosts of a destination.
    public boolean hasHosts() {
        return scenario.places().stream().map(Scenario.Place::route).anyMatch(route -> route instanceof Route.Smtp smtp
                && !smtp.hosts().stream().map(Route.Host::name).toList().equals(List.of(smtp.nextHop())));
    }

    /// A message of the file.
    ///
    /// @param name that of its `[[messages]]`; the messages of a stream share it
    /// @param number within its stream, from 1
    /// @param ofMany messages in the stream
    public record SceneMessage(String name, int number, int ofMany) {
        /// Tells it from the others of its stream.
        @Override
        public String toString() {
            return ofMany == 1 ? name : name + "#" + number;
        }
    }
}
