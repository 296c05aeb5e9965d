package org.slipstream.smtpout.content;

import org.slipstream.smtpout.wire.LongLines;

import java.util.Optional;

/// Folds header fields with lines of more than [LongLines#MOST_BYTES] octets. A line end is
/// inserted before an existing blank, so unfolding the field restores the same bytes (RFC 5322
/// section 2.2.3).
final class Folding {
    private Folding() {}

    /// @param field with its continuation lines and line ends, a character for each byte
    /// @return empty when a line has no blank where one is needed
    static Optional<String> of(String field) {
        if (field.length() <= LongLines.MOST_BYTES) {
            return Optional.of(field);
        }
        StringBuilder folded = new StringBuilder(field.length() + 8);
        for (String line : field.split("(?<=\r\n)")) {
            String rest = line;
            while (withoutEnd(rest) > LongLines.MOST_BYTES) {
                int at = lastBlank(rest);
                if (at < 0) {
                    return Optional.empty();
                }
                folded.append(rest, 0, at).append("\r\n");
                rest = rest.substring(at);
            }
            folded.append(rest);
        }
        return Optional.of(folded.toString());
    }

    /// The last blank within the limit with other text on both sides: a line of blanks alone would
    /// end the header.
    private static int lastBlank(String line) {
        if (line.substring(LongLines.MOST_BYTES).isBlank()) {
            return -1;
        }
        int at = LongLines.MOST_BYTES;
        while (at > 0 && line.charAt(at) != ' ' && line.charAt(at) != '\t') {
            at--;
        }
        return line.substring(0, at).isBlank() ? -1 : at;
    }

    private static int withoutEnd(String line) {
        return line.endsWith("\r\n") ? line.length() - 2 : line.length();
    }
}
