package org.slipstream.dist;

import java.util.Optional;

/// The version that the build put into the jar's manifest.
public final class Version {
    private Version() {}

    public static String text() {
        return Optional.ofNullable(Version.class.getPackage().getImplementationVersion()).orElse("development");
    }
}
