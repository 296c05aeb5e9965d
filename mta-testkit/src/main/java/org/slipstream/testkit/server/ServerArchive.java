package org.slipstream.testkit.server;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// The place of the packaged server: the folder or the `slipstream-<version>.tar.gz` that a release
/// consists of.
///
/// The place is the system property `slipstream.program`, or the environment variable
/// `SLIPSTREAM_PROGRAM`.
public final class ServerArchive {
    private ServerArchive() {}

    /// @throws IllegalStateException when neither names a place
    public static Path configured() {
        return Optional.ofNullable(System.getProperty("slipstream.program"))
                .or(() -> Optional.ofNullable(System.getenv("SLIPSTREAM_PROGRAM"))).map(Path::of)
                .orElseThrow(() -> new IllegalStateException("set the system property slipstream.program"
                        + " or the variable SLIPSTREAM_PROGRAM to the folder or the archive of Slipstream"));
    }

    /// The folder with the launcher `mta`. An archive is unpacked below `parent`.
    static Path folder(Path program, Path parent) throws IOException {
        if (Files.isDirectory(program)) {
            return program.toAbsolutePath();
        }
        Path folder = Files.createDirectories(parent.resolve("program"));
        Process tar = new ProcessBuilder("tar", "-xzf", program.toAbsolutePath().toString(), "--strip-components=1",
                "-C", folder.toString()).redirectErrorStream(true).redirectOutput(Redirect.INHERIT).start();
        try {
            if (tar.waitFor() != 0) {
                throw new IOException("not an archive of Slipstream: " + program);
            }
        } catch (InterruptedException e) {
            tar.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while unpacking " + program, e);
        }
        return folder.toAbsolutePath();
    }
}
