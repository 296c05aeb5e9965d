package org.slipstream.server.config;

import java.util.Optional;

/// The version that the build put into the jar's manifest.
public final class ProgramVersion {
    private ProgramVersion() {}

    public static String version() {
        return Optional.ofNullable(ProgramVersion.class.getPackage().getImplementationVersion()).orElse("development");
    }
}
