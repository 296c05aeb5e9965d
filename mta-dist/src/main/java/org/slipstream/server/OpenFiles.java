package org.slipstream.server;

import org.slipstream.config.Config;
import org.slipstream.core.TransportKind;
import org.slipstream.server.intake.Services;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Compares the limit for open files (`ulimit -n`) with the number that the settings allow at once.
///
/// Without free descriptors, ports accept no client and the spool opens no message, long before
/// `limits.connections` refuses clients. The sum is the worst case that the settings permit; a
/// quiet server never reaches it, so the result is a warning and the server starts.
final class OpenFiles {
    /// Files of the program itself: jars, index, segments, logs, the admin API, messages that are
    /// read.
    private static final long OTHERS = 256;
    /// The client of a session, the content that a filter reads, and the filter.
    private static final long FILTERED = 3;
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Pattern SOFT = Pattern.compile("(?m)^Max open files +([0-9]+|unlimited) ");

    private OpenFiles() {}

    /// @return a warning for the operator; empty when the limit suffices or is unknown
    static Optional<String> warning(Config config) {
        try {
            return warning(config, limit(Files.readString(LIMITS)));
        } catch (IOException e) {
            // Not Linux.
            return Optional.empty();
        }
    }

    static Optional<String> warning(Config config, OptionalLong limit) {
        long needed = needed(config);
        return limit.isPresent() && limit.getAsLong() < needed
                ? Optional.of("event=open-files-too-few limit=" + limit.getAsLong() + " needed=" + needed
                        + " next=\"raise it (ulimit -n, LimitNOFILE) or lower limits.connections\"")
                : Optional.empty();
    }

    static long needed(Config config) {
        long sessions = (long) Services.of(config).size() * config.limits().connections();
        var transports = config.transports();
        return sessions * (config.policy().rspamd().url().isPresent() ? FILTERED : 1)
                + Stream.of(TransportKind.SMTP, TransportKind.LMTP).flatMap(kind -> transports.names(kind).stream())
                        .mapToLong(name -> transports.of(name).processLimit()).sum()
                + OTHERS;
    }

    static OptionalLong limit(String limits) {
        Matcher soft = SOFT.matcher(limits);
        return soft.find() && !soft.group(1).equals("unlimited")
                ? OptionalLong.of(Long.parseLong(soft.group(1)))
                : OptionalLong.empty();
    }
}
