package org.slipstream.config;

/// The sources of the settings of a running server, to be read again.
public interface SettingsAgain {
    /// A server whose settings never change.
    static SettingsAgain of(Config fixed) {
        return new SettingsAgain() {
            @Override
            public ReadResult read() {
                return new ReadResult.Accepted(fixed);
            }

            @Override
            public void inForce(Config settings) {
                // Nothing outside of the server depends on them.
            }
        };
    }

    /// The settings as the file, the environment and the command line of the start say them now.
    ReadResult read();

    /// The server uses these settings from now on.
    void inForce(Config settings);
}
