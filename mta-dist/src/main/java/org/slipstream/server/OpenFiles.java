package org.slipstream.server;

import org.slipstream.server.config.Config;
import org.slipstream.server.intake.Services;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Compares how many files the process may have open (`ulimit -n`) with what the settings allow to be open at once.
///
/// Out of descriptors, a port accepts nobody and the spool opens no letter, long before `limits.connections` refuses anybody. The sum
/// is the worst case that the settings permit; a quiet server never gets there, so this is a warning and no refusal.
final class OpenFiles {
    /// The program's own: jars, register, segments, logs, the admin API, letters that are read.
    private static final long OTHERS = 256;
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Pattern SOFT = Pattern.compile("(?m)^Max open files +([0-9]+|unlimited) ");

    private OpenFiles() {}

    /// @return what an operator should read; empty when there are enough, or the system does not say
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
        long ports = Services.of(config).size();
        var transports = config.transports();
        return ports * config.limits().connections() + transports.of("smtp").processLimit()
                + transports.of("lmtp").processLimit() + OTHERS;
    }

    static OptionalLong limit(String limits) {
        Matcher soft = SOFT.matcher(limits);
        return soft.find() && !soft.group(1).equals("unlimited")
                ? OptionalLong.of(Long.parseLong(soft.group(1)))
                : OptionalLong.empty();
    }
}
