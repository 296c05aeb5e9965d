package org.slipstream.server.cli;

import org.slipstream.server.config.Config;
import org.slipstream.server.config.ConfigReader;
import org.slipstream.server.config.Problem;
import org.slipstream.server.config.ReadResult;
import org.slipstream.server.config.SettingsSource;

import java.util.List;
import java.util.stream.Collectors;

/// Reads the configuration, or ends the command with all its mistakes.
final class LoadedConfig {
    private LoadedConfig() {}

    static Config read(SettingsSource source, List<String> overrides) {
        return switch (ConfigReader.read(source, overrides)) {
            case ReadResult.Accepted accepted -> accepted.config();
            case ReadResult.Rejected rejected -> throw new CommandFailure(Exit.CONFIGURATION,
                    rejected.problems().stream().map(Problem::toString)
                            .collect(Collectors.joining(System.lineSeparator())));
        };
    }
}
