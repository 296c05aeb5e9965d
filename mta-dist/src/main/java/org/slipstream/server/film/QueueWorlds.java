package org.slipstream.server.film;

import org.slipstream.admin.operations.Operations.DestinationView;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.config.Config;
import org.slipstream.lab.Scenario;

import java.util.List;

/// Makes simulated worlds of a queue. The command `lab what-if` has the code, and the server does not
/// know the command line.
@FunctionalInterface
public interface QueueWorlds {
    /// @param taken time of the queue, ISO 8601 in UTC
    /// @param destinations with the measured durations of deliveries
    /// @param present the settings in force, which decide the routes
    QueueWorld of(String taken, List<MessageView> messages, List<DestinationView> destinations, Config present);

    /// The worlds of one queue.
    interface QueueWorld {
        Scenario under(Config settings);

        /// The statements about the world that nothing has measured.
        List<String> assumptions();
    }
}
