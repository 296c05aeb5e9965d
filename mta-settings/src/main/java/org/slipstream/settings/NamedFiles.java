package org.slipstream.settings;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Reads the text files that settings name. Each file is remembered with a print of its content, so
/// that a reload can tell the change of a file.
public final class NamedFiles {
    private final Path home;
    private final Values values;
    private final Complaints complaints;
    private final List<NamedFile> read = new ArrayList<>();

    public NamedFiles(Path home, Values values, Complaints complaints) {
        this.home = home;
        this.values = values;
        this.complaints = complaints;
    }

    public List<NamedFile> all() {
        return List.copyOf(read);
    }

    public Complaints complaints() {
        return complaints;
    }

    /// The name of a file in messages: short in the home folder, complete elsewhere.
    public String name(Path file) {
        return file.startsWith(home) ? home.relativize(file).toString() : file.toString();
    }

    /// Empty, with a complaint, when the file cannot be read.
    ///
    /// @param key of the setting that names the file
    public List<String> lines(String key, Path file) {
        return lines(key, values.place(key), file);
    }

    private List<String> lines(String key, SourcePlace named, Path file) {
        List<String> lines = List.of();
        try {
            lines = BoundedFiles.lines(file, BoundedFiles.MOST_TABLE_OCTETS);
        } catch (NoSuchFileException none) {
            complaints.add(named, key, key + ": there is no file " + file);
        } catch (IOException unreadable) {
            complaints.add(named, key, key + ": " + (unreadable instanceof CharacterCodingException
                    ? file + " is not UTF-8"
                    : "the file cannot be read: " + new AccessRemedy(home).words(unreadable)));
        }
        read.add(new NamedFile(key, file, lines.hashCode()));
        return lines;
    }

    public List<LogicalLine> logicalLines(String key, Path file) {
        return logicalLines(key, values.place(key), file);
    }

    /// @param named where the file is named
    public List<LogicalLine> logicalLines(String key, SourcePlace named, Path file) {
        return LogicalLine.of(lines(key, named, file), name(file));
    }
}
