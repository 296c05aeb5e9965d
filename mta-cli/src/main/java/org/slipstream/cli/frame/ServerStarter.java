package org.slipstream.cli.frame;

import org.slipstream.admin.operations.ServerLog;
import org.slipstream.config.Config;
import org.slipstream.config.SettingsAgain;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The server as `run` and `check` use it.
@FunctionalInterface
public interface ServerStarter {
    Start start(Config config);

    /// @param source of the settings, for a reload
    ///
    /// @param events of the log
    default Start start(Config config, SettingsAgain source, ServerLog events) {
        return start(config);
    }

    /// Checks everything that a start would open, and changes nothing.
    default Findings examine(Config config) {
        return new Findings(List.of(), List.of());
    }

    /// @param mistakes prevent the start
    /// @param remarks do not, but some mail would not be accepted or delivered
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

        /// Optional ports by the name of their service: `submissions`, `lmtp`.
        default Map<String, InetSocketAddress> furtherPorts() {
            return Map.of();
        }

        /// The socket for commands.
        Path admin();

        /// Reads the settings again and puts them into force. A mistake changes nothing and is in the
        /// log.
        ///
        /// @param author for the log
        default void reload(String author) {
            throw new UnsupportedOperationException();
        }

        /// Stops in an orderly way; returns when everything is closed.
        void stop();
    }
}
