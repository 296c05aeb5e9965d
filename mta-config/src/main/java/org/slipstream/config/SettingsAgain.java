package org.slipstream.config;

import java.util.List;

/// The sources of the settings of a running server, to be read again.
public interface SettingsAgain {
    /// A server whose settings never change.
    static SettingsAgain of(Config fixed) {
        return new SettingsAgain() {
            @Override
            public ReadResult read(List<String> changes) {
                return new ReadResult.Accepted(fixed);
            }

            @Override
            public void inForce(Config settings) {
                // Nothing outside of the server depends on them.
            }
        };
    }

    /// The settings as the file, the environment and the command line of the start say them now.
    default ReadResult read() {
        return read(List.of());
    }

    /// The same with some settings changed. Nothing else sees the result.
    ///
    /// @param changes each `key=value`
    ReadResult read(List<String> changes);

    /// The server uses these settings from now on.
    void inForce(Config settings);
}
