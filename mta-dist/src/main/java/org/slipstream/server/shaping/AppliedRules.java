package org.slipstream.server.shaping;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.text.Controls;
import org.slipstream.settings.BoundedFiles;
import org.slipstream.settings.TomlMistake;
import org.slipstream.settings.WholeFiles;
import org.slipstream.shaping.ShapingRules;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Rules that an operator applied until an end, and the file that keeps them over a restart: four lines
/// of comment, and the rules as they were given.
///
/// @param file the name that the operator gave
/// @param text as TOML; empty for the set of the program
record AppliedRules(String file, String text, long untilMillis, String author, ShapingRules rules) {
    private static final Logger log = LoggerFactory.getLogger(AppliedRules.class);
    private static final String NAME = "shaping-applied";
    private static final String UNTIL = "# until ";
    private static final String AUTHOR = "# author ";
    private static final String FILE = "# file ";
    private static final int HEAD = 3;

    /// @throws IllegalArgumentException with the first mistake of the rules
    static AppliedRules of(String file, String text, long untilMillis, String orderedBy) {
        String name = Controls.onOneLine(file).strip();
        String author = Controls.onOneLine(orderedBy).strip();
        if (text.isBlank()) {
            if (!name.equals(ShapingRules.SHIPPED_NAME)) {
                throw new IllegalArgumentException("there are no rules in " + name);
            }
            return new AppliedRules(name, "", untilMillis, author, ShapingRules.shipped());
        }
        try {
            ShapingRules read = ShapingRules.read(name, text);
            if (read.isEmpty()) {
                throw new IllegalArgumentException("there are no rules in " + name);
            }
            return new AppliedRules(name, text, untilMillis, author, read);
        } catch (TomlMistake mistake) {
            throw new IllegalArgumentException(mistake.getMessage(), mistake);
        }
    }

    /// The rules that were in force when the server stopped; empty when they have ended. A file that
    /// cannot be read is told and left.
    static Optional<AppliedRules> restored(Path home, long nowMillis) {
        Path file = home.resolve(NAME);
        try {
            List<String> lines = BoundedFiles.lines(file, BoundedFiles.MOST_TEXT_OCTETS);
            AppliedRules found = of(word(lines, 2, FILE), String.join("\n", lines.subList(HEAD, lines.size())),
                    Instant.parse(word(lines, 0, UNTIL)).toEpochMilli(), word(lines, 1, AUTHOR));
            return Optional.of(found).filter(each -> each.untilMillis() > nowMillis);
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException | IllegalArgumentException | DateTimeException | ArithmeticException damaged) {
            log.warn("event=shaping-applied-damaged file={} error=\"{}\" next=\"the rules are not in force;"
                    + " mta shaping apply FILE\"", file, LogText.text(FailureWords.of(damaged)));
            return Optional.empty();
        }
    }

    private static String word(List<String> lines, int index, String begin) {
        if (lines.size() < HEAD || !lines.get(index).startsWith(begin)) {
            throw new IllegalArgumentException("no line \"" + begin.strip() + "\"");
        }
        return lines.get(index).substring(begin.length());
    }

    void keep(Path home) throws IOException {
        WholeFiles.write(home.resolve(NAME), (UNTIL + Instant.ofEpochMilli(untilMillis) + "\n" + AUTHOR + author + "\n"
                + FILE + file + "\n" + text).getBytes(StandardCharsets.UTF_8), "rw-------");
    }

    static void forget(Path home) throws IOException {
        Files.deleteIfExists(home.resolve(NAME));
    }
}
