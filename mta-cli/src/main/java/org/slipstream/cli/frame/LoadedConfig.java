package org.slipstream.cli.frame;

import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.settings.Problem;
import org.slipstream.settings.SettingsSource;

import java.util.List;
import java.util.stream.Collectors;

/// Reads the configuration, or ends the command with all its mistakes.
public final class LoadedConfig {
    private LoadedConfig() {}

    public static Config read(SettingsSource source, List<String> overrides) {
        return switch (ConfigReader.read(source, overrides)) {
            case ReadResult.Accepted accepted -> accepted.config();
            case ReadResult.Rejected rejected -> throw new CommandFailure(Exit.CONFIGURATION,
                    rejected.problems().stream().map(Problem::toString)
                            .collect(Collectors.joining(System.lineSeparator())));
        };
    }
}
