package org.slipstream.server.cli;

import org.slipstream.server.config.ProgramVersion;
import picocli.CommandLine.IVersionProvider;

/// The version from the manifest of the jar.
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[]{"Slipstream MTA " + ProgramVersion.version(), "Java " + Runtime.version()};
    }
}
