package org.slipstream.dist.config;

import java.util.Optional;

/// The version that the build put into the jar's manifest.
public final class Release {
    private Release() {}

    public static String version() {
        return Optional.ofNullable(Release.class.getPackage().getImplementationVersion()).orElse("development");
    }
}
