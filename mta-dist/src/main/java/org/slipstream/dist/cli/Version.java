package org.slipstream.dist.cli;

import picocli.CommandLine.IVersionProvider;

import java.util.Optional;

/// From the manifest of the jar.
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Optional.ofNullable(Version.class.getPackage().getImplementationVersion())
                .orElse("(not packaged)");
        return new String[]{"Slipstream MTA " + version, "Java " + Runtime.version()};
    }
}
