package org.slipstream.core;

import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/// Escapes untrusted text for a log line: addresses, names, replies, and any other text from a
/// client, a remote host or a file. Escaped text cannot end its field, begin another field or break
/// the line.
///
/// A line is `key=value key="value with blanks" key=<address>`. A field ends at a blank outside
/// quotes, at a quote inside quotes, and at `>` after an address. A quoted local part may contain
/// all three: `"a> reply=250 <b"@x.example` is a valid address.
public final class LogText {
    private static final int LONGEST_TEXT = 500;
    private static final int LONGEST_WORD = 300;

    private LogText() {}

    /// Text between double quotes; readable rather than exact, and at most 500 characters.
    public static String text(String untrusted) {
        return escaped(untrusted, LONGEST_TEXT, c -> c == '"' || c == '\\' || isInvisible(c),
                c -> c == '"' ? "'" : c == '\\' ? "\\\\" : "?");
    }

    /// A value without quotes, at most 300 characters: blanks, quotes, angle brackets, backslashes
    /// and invisible characters become `\u0020` and so on.
    public static String word(String untrusted) {
        return escaped(untrusted, LONGEST_WORD,
                c -> isInvisible(c) || Character.isSpaceChar(c) || "\"<>\\".indexOf(c) >= 0,
                c -> String.format("\\u%04x", c));
    }

    /// An address in angle brackets. A quoted local part appears without its quotes, with its
    /// special characters escaped as in [#word].
    public static String path(Address address) {
        return "<" + word(address.localPart() + "@" + address.domain()) + ">";
    }

    /// `<>` for the null sender.
    public static String path(Optional<Address> sender) {
        return sender.map(LogText::path).orElse("<>");
    }

    /// The text on one line, for a reply or a report: invisible characters become blanks.
    public static String onOneLine(String untrusted) {
        return escaped(untrusted, Integer.MAX_VALUE, LogText::isInvisible, _ -> " ").strip();
    }

    private static String escaped(String untrusted, int longest, IntPredicate odd, IntFunction<String> instead) {
        if (untrusted.length() <= longest && isPlain(untrusted, odd)) {
            return untrusted;
        }
        StringBuilder safe = new StringBuilder(untrusted.length());
        untrusted.codePoints().limit(longest).forEach(c -> {
            if (odd.test(c)) {
                safe.append(instead.apply(c));
            } else {
                safe.appendCodePoint(c);
            }
        });
        return safe.toString();
    }

    private static boolean isPlain(String untrusted, IntPredicate odd) {
        for (int i = 0; i < untrusted.length(); i += Character.charCount(untrusted.codePointAt(i))) {
            if (odd.test(untrusted.codePointAt(i))) {
                return false;
            }
        }
        return true;
    }

    // Controls, line and paragraph separators, characters that change the writing direction, single
    // surrogates.
    private static boolean isInvisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE, Character.UNASSIGNED ->
                true;
            default -> false;
        };
    }
}
