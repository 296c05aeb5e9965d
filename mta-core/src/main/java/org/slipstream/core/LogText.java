package org.slipstream.core;

import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/// Foreign text in a log line: addresses, names, replies, whatever a client, a peer or a file has written. It cannot end its field,
/// begin another one or break the line.
///
/// A line is `key=value key="value with blanks" key=<address>`, so what ends a field is a blank outside of quotes, a quote inside, and `>`
/// behind an address. A quoted local part may contain all three: `"a> reply=250 <b"@x.example` is an address that the grammar permits.
public final class LogText {
    private static final int LONGEST_TEXT = 500;
    private static final int LONGEST_WORD = 300;

    private LogText() {}

    /// For between double quotes; readable rather than exact, and at most 500 characters.
    public static String text(String foreign) {
        return written(foreign, LONGEST_TEXT, c -> c == '"' || c == '\\' || isInvisible(c),
                c -> c == '"' ? "'" : c == '\\' ? "\\\\" : "?");
    }

    /// For a value without quotes: blanks, quotes, angle brackets, backslashes and what cannot be seen become `\u0020` and so on.
    public static String word(String foreign) {
        return written(foreign, LONGEST_WORD,
                c -> isInvisible(c) || Character.isSpaceChar(c) || "\"<>\\".indexOf(c) >= 0,
                c -> String.format("\\u%04x", c));
    }

    /// An address in angle brackets. A quoted local part stands there without its quotes, each odd character of it as [#word] has it.
    public static String path(Address address) {
        return "<" + word(address.localPart() + "@" + address.domain()) + ">";
    }

    /// `<>` for the null sender.
    public static String path(Optional<Address> sender) {
        return sender.map(LogText::path).orElse("<>");
    }

    private static String written(String foreign, int longest, IntPredicate odd, IntFunction<String> instead) {
        if (foreign.length() <= longest && isPlain(foreign, odd)) {
            return foreign;
        }
        StringBuilder safe = new StringBuilder(foreign.length());
        foreign.codePoints().limit(longest).forEach(c -> {
            if (odd.test(c)) {
                safe.append(instead.apply(c));
            } else {
                safe.appendCodePoint(c);
            }
        });
        return safe.toString();
    }

    private static boolean isPlain(String foreign, IntPredicate odd) {
        for (int i = 0; i < foreign.length(); i += Character.charCount(foreign.codePointAt(i))) {
            if (odd.test(foreign.codePointAt(i))) {
                return false;
            }
        }
        return true;
    }

    // Controls, line and paragraph separators, what turns the direction of writing, halves of pairs.
    private static boolean isInvisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE, Character.UNASSIGNED ->
                true;
            default -> false;
        };
    }
}
