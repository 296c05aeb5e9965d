package org.slipstream.settings;

import java.nio.file.Path;
import java.util.List;

/// The place of a server's settings: its file and, stronger than the file, lines of the environment.
///
/// @param home the server's folder; relative paths of settings begin there
/// @param file the file of settings, usually `<home>/mta.toml`
/// @param environment lines `key=value` of [#VARIABLE]
public record SettingsSource(Path home, Path file, List<String> environment) {
    /// The usual name of the file of settings.
    public static final String FILE = "mta.toml";
    /// Containers and units set it: a line `key=value` for each setting.
    public static final String VARIABLE = "SLIPSTREAM_SET";

    public SettingsSource {
        home = home.toAbsolutePath().normalize();
        file = file.toAbsolutePath().normalize();
        environment = List.copyOf(environment);
    }

    /// The file `mta.toml` in the home folder, without an environment.
    public static SettingsSource in(Path home) {
        return new SettingsSource(home, home.resolve(FILE), List.of());
    }

    /// The name of the file in messages: short in the home folder, complete elsewhere.
    public String fileName() {
        return file.startsWith(home) ? home.relativize(file).toString() : file.toString();
    }
}
