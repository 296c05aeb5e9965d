package org.slipstream.settings;

import java.util.OptionalInt;

/// The depth of arrays, tables and dotted keys in a text of TOML. The library parses each level with a
/// call inside the call before it, so a file of brackets would end in a StackOverflowError. No setting
/// nests deeper than three.
final class TomlNesting {
    static final int MOST_DEPTH = 50;

    private final String text;
    private int at;
    private int line = 1;

    private TomlNesting(String text) {
        this.text = text;
    }

    /// The line where the text becomes too deep, if it does.
    static OptionalInt tooDeep(String text) {
        return new TomlNesting(text).search();
    }

    private OptionalInt search() {
        int depth = 0;
        int dots = 0;
        for (; at < text.length(); at++) {
            char c = text.charAt(at);
            switch (c) {
                case '\n' -> {
                    line++;
                    dots = 0;
                }
                case '=', ',' -> dots = 0;
                case '.' -> dots++;
                case '[', '{' -> depth++;
                case ']', '}' -> depth = Math.max(0, depth - 1);
                case '#' -> skipTo("\n", false);
                case '"', '\'' -> skipString(c);
                default -> {
                    // A part of a key or of a plain value.
                }
            }
            if (depth + dots > MOST_DEPTH) {
                return OptionalInt.of(line);
            }
        }
        return OptionalInt.empty();
    }

    private void skipString(char quote) {
        String triple = String.valueOf(quote).repeat(3);
        if (text.startsWith(triple, at)) {
            at += 2;
            skipTo(triple, quote == '"');
            at += 2;
        } else {
            skipTo(String.valueOf(quote), quote == '"');
        }
    }

    /// Stands on the first character of `end` afterwards, or on the end of the line for an end of one
    /// character: the parser ends a string there as well.
    private void skipTo(String end, boolean escapes) {
        at++;
        while (at < text.length() && !text.startsWith(end, at)) {
            if (text.charAt(at) == '\n') {
                if (end.length() == 1) {
                    break;
                }
                line++;
            }
            at += escapes && text.charAt(at) == '\\' && at + 1 < text.length() && text.charAt(at + 1) != '\n' ? 2 : 1;
        }
        if (at < text.length() && text.charAt(at) == '\n') {
            // The loop counts the line.
            at--;
        }
    }
}
