package org.slipstream.dist.cli;

import org.slipstream.dist.config.Config;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// What `run` needs of the server.
@FunctionalInterface
public interface ServerStarter {
    Start start(Config config);

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
