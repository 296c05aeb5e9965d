package org.slipstream.server.config;

import org.slipstream.core.FailureWords;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Reads the text files that settings name. Each file is remembered with a print of its content, so
/// that a reload can tell the change of a file.
final class NamedFiles {
    private final Path home;
    private final Values values;
    private final Complaints complaints;
    private final List<NamedFile> read = new ArrayList<>();

    /// A line of a table of Postfix, with those that continue it.
    record LogicalLine(String text, SourcePlace place) {}

    NamedFiles(Path home, Values values, Complaints complaints) {
        this.home = home;
        this.values = values;
        this.complaints = complaints;
    }

    List<NamedFile> all() {
        return List.copyOf(read);
    }

    Complaints complaints() {
        return complaints;
    }

    /// The name of a file in messages: short in the home folder, complete elsewhere.
    String name(Path file) {
        return file.startsWith(home) ? home.relativize(file).toString() : file.toString();
    }

    /// Empty, with a complaint, when the file cannot be read.
    ///
    /// @param key of the setting that names the file
    List<String> lines(String key, Path file) {
        return lines(key, values.place(key), file);
    }

    private List<String> lines(String key, SourcePlace named, Path file) {
        List<String> lines = List.of();
        try {
            lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException none) {
            complaints.add(named, key, key + ": there is no file " + file);
        } catch (IOException unreadable) {
            complaints.add(named, key, key + ": " + (unreadable instanceof CharacterCodingException
                    ? file + " is not UTF-8"
                    : "the file cannot be read: " + FailureWords.of(unreadable)));
        }
        read.add(new NamedFile(key, file, lines.hashCode()));
        return lines;
    }

    /// The lines of a table of Postfix: a line that begins with a blank continues the line before
    /// it, and `#` begins a comment.
    List<LogicalLine> logicalLines(String key, Path file) {
        return logicalLines(key, values.place(key), file);
    }

    /// @param named where the file is named
    List<LogicalLine> logicalLines(String key, SourcePlace named, Path file) {
        List<LogicalLine> logical = new ArrayList<>();
        List<String> physical = lines(key, named, file);
        for (int i = 0; i < physical.size(); i++) {
            String line = physical.get(i);
            if (line.isBlank() || line.strip().startsWith("#")) {
                continue;
            }
            if (Character.isWhitespace(line.charAt(0)) && !logical.isEmpty()) {
                LogicalLine before = logical.removeLast();
                logical.add(new LogicalLine(before.text() + " " + line.strip(), before.place()));
            } else {
                logical.add(new LogicalLine(line.strip(), new SourcePlace(name(file), i + 1)));
            }
        }
        return logical;
    }
}
