package org.slipstream.cli.log;

import ch.qos.logback.classic.Level;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;

/// The log of systemd, when it reads standard error.
///
/// Lines that begin with `<N>` get the priority N there (sd-daemon(3)). Its own protocol, with a field
/// for each key, needs datagrams on a UNIX socket, which Java does not have (ADR 67).
public final class Journald {
    private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");

    private Journald() {}

    /// True when standard error is the stream that systemd has named. A child that redirects its
    /// output still has the variable.
    static boolean isReader() {
        return Optional.ofNullable(System.getenv("JOURNAL_STREAM")).filter(stream -> names(stream, STANDARD_ERROR))
                .isPresent();
    }

    /// True when `stream` is device and inode of this file.
    public static boolean names(String stream, Path file) {
        try {
            return stream.equals(Files.getAttribute(file, "unix:dev") + ":" + Files.getAttribute(file, "unix:ino"));
        } catch (IOException | RuntimeException unknown) {
            return false;
        }
    }

    /// These lines with the priority before each: the lines of a stack trace are entries of their own.
    static String prefixed(Level level, String lines) {
        return lines.lines().map(line -> prefix(level) + line + "\n").collect(Collectors.joining());
    }

    /// `<6>` for information.
    private static String prefix(Level level) {
        return switch (level.toInt()) {
            case Level.ERROR_INT -> "<3>";
            case Level.WARN_INT -> "<4>";
            case Level.INFO_INT -> "<6>";
            default -> "<7>";
        };
    }
}
