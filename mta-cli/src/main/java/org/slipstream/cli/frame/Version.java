package org.slipstream.cli.frame;

import org.slipstream.config.ProgramVersion;
import picocli.CommandLine.IVersionProvider;

/// The version from the manifest of the jar.
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[]{"Slipstream MTA " + ProgramVersion.version(), "Java " + Runtime.version()};
    }
}
