package org.slipstream.dist.cli;

import org.slipstream.dist.config.Release;
import picocli.CommandLine.IVersionProvider;

/// From the manifest of the jar.
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[]{"Slipstream MTA " + Release.version(), "Java " + Runtime.version()};
    }
}
