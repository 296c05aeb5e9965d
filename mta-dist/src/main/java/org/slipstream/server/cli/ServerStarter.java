package org.slipstream.server.cli;

import org.slipstream.server.config.Config;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What `run` needs of the server.
@FunctionalInterface
public interface ServerStarter {
    Start start(Config config);

    /// Looks at everything that a start would open, and leaves it as it is.
    default Findings examine(Config config) {
        return new Findings(List.of(), List.of());
    }

    /// @param mistakes would keep the server from starting
    /// @param remarks would not, but some mail would not go
    record Findings(List<String> mistakes, List<String> remarks) {
        public Findings {
            mistakes = List.copyOf(mistakes);
            remarks = List.copyOf(remarks);
        }
    }

    sealed interface Start {
        /// It accepts mail.
        record Started(Running server) implements Start {}

        /// It cannot start; the sentence is for the operator.
        record Refused(String sentence) implements Start {}
    }

    interface Running {
        Optional<InetSocketAddress> smtp();

        Optional<InetSocketAddress> submission();

        /// Ports that are seldom open, by the name of their service: `submissions`, `lmtp`.
        default Map<String, InetSocketAddress> furtherPorts() {
            return Map.of();
        }

        /// The socket at which commands ask.
        Path admin();

        /// An orderly stop; returns when everything is closed.
        void stop();
    }
}
