package org.slipstream.config.postfix;

import org.slipstream.settings.BoundedFiles;
import org.slipstream.settings.LogicalLine;
import org.slipstream.settings.SourcePlace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The lines of a text file of Postfix: `main.cf`, `master.cf` or a table. A line that begins with a
/// blank continues the line before it, and comments and empty lines do not end a line.
final class PostfixText {
    private PostfixText() {}

    /// A line with those that continue it.
    record TextLine(String text, SourcePlace place) {}

    /// A file that cannot be read as text.
    static final class NoText extends Exception {
        private static final long serialVersionUID = 1L;

        NoText(String sentence) {
            super(sentence);
        }
    }

    /// The texts between commas. Commas inside of quotes do not separate.
    static List<String> targets(String text) {
        List<String> targets = new ArrayList<>();
        boolean quoted = false;
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i == text.length() || !quoted && text.charAt(i) == ',') {
                targets.add(text.substring(start, i).strip());
                start = i + 1;
            } else if (text.charAt(i) == '"') {
                quoted = !quoted;
            }
        }
        return targets;
    }

    static List<TextLine> lines(Path file) throws NoText {
        String name = String.valueOf(file.getFileName());
        return LogicalLine.of(text(file).lines().toList(), name).stream()
                .map(line -> new TextLine(line.text(), line.place())).toList();
    }

    /// Old files have comments in Latin-1, so each byte has a meaning.
    static String text(Path file) throws NoText {
        if (!Files.exists(file)) {
            throw new NoText("there is no file " + file);
        }
        try {
            byte[] bytes = BoundedFiles.bytes(file, BoundedFiles.MOST_TABLE_OCTETS);
            for (byte each : bytes) {
                if (each == 0) {
                    throw new NoText(file + " is a binary file; name the text file that it was made from");
                }
            }
            String text = new String(bytes, StandardCharsets.UTF_8);
            return text.contains("\uFFFD") ? new String(bytes, StandardCharsets.ISO_8859_1) : text;
        } catch (IOException unreadable) {
            throw new NoText(file + " cannot be read: " + (Files.isReadable(file)
                    ? unreadable.getMessage()
                    : "permission denied; run the command as a user who may read it"));
        }
    }
}
