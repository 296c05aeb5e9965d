package org.slipstream.config;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/// The version and the date that the build put into the jar's manifest.
public final class ProgramVersion {
    private ProgramVersion() {}

    public static String version() {
        return Optional.ofNullable(ProgramVersion.class.getPackage().getImplementationVersion()).orElse("development");
    }

    /// The day of the build, which a release sets by hand, so that two builds of one source are equal.
    public static String date() {
        return manifest().map(manifest -> manifest.getMainAttributes().getValue("Build-Date"))
                .map(time -> time.substring(0, "2026-11-21".length())).orElse("1970-01-01");
    }

    private static Optional<Manifest> manifest() {
        Path jar = location();
        if (!Files.isRegularFile(jar)) {
            return Optional.empty();
        }
        try (JarFile file = new JarFile(jar.toFile())) {
            return Optional.ofNullable(file.getManifest());
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    private static Path location() {
        try {
            URI place = ProgramVersion.class.getProtectionDomain().getCodeSource().getLocation().toURI();
            return Path.of(place);
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
