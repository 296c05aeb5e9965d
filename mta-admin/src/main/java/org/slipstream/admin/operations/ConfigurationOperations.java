package org.slipstream.admin.operations;

import java.util.List;

/// The settings of the running server, for operators.
public interface ConfigurationOperations {
    /// Reads the settings again and puts them into force. A mistake changes nothing.
    ///
    /// @param author named in the log
    ReloadView reload(String author);

    /// The settings in force.
    ConfigurationView settings();

    /// The result of a reload.
    ///
    /// @param applied false: there were problems, and nothing has changed
    /// @param changed keys that are in force now
    /// @param restart keys that take effect at the next start
    /// @param problems each with its place
    /// @param remarks about mail that will not be accepted or delivered, and about old names of keys
    record ReloadView(boolean applied, List<String> changed, List<RestartView> restart, List<String> problems,
            List<String> remarks) {}

    /// @param reason for which the server must start again
    record RestartView(String key, String reason) {}

    /// All settings.
    record ConfigurationView(List<SettingView> settings) {}

    /// One setting.
    ///
    /// @param value as `mta.toml` writes it
    /// @param standard the default, written in the same way
    /// @param differs the value is not the default
    /// @param place `mta.toml:12`, `--set`, `SLIPSTREAM_SET:3`, `default`
    /// @param doc what it means
    /// @param restart the reason for which a change takes effect at the next start; empty: a reload puts
    ///     it into force
    record SettingView(String key, String value, String standard, boolean differs, String place, String doc,
            String restart) {}
}
