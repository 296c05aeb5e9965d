package org.slipstream.guard.login;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/// One line of Dovecot's authentication protocol: a verb, mostly a request's number, and parameters
/// `key=value` or `flag`, between tabs.
///
/// Octets that would end a word or the line are written as an escape and a letter, so a user's name
/// can have any character and can never forge a parameter.
///
/// @param words without escapes, at least one
record AuthLine(List<String> words) {
    private static final char ESCAPE = '\001';
    /// Each octet that needs an escape, and the letter that stands for it.
    private static final String PLAIN = "\0\001\t\n\r";
    private static final String LETTERS = "01tnr";

    AuthLine {
        words = List.copyOf(words);
    }

    static AuthLine of(String... words) {
        return new AuthLine(List.of(words));
    }

    static AuthLine parse(String line) {
        return new AuthLine(Arrays.stream(line.split("\t", -1)).map(AuthLine::unescaped).toList());
    }

    String verb() {
        return words.getFirst();
    }

    /// The number of the request, for verbs that have one.
    OptionalInt id() {
        return words.size() > 1 && words.get(1).matches("[0-9]{1,9}")
                ? OptionalInt.of(Integer.parseInt(words.get(1)))
                : OptionalInt.empty();
    }

    /// The value of `key=value`.
    Optional<String> value(String key) {
        return words.stream().skip(1).filter(word -> word.startsWith(key + "="))
                .map(word -> word.substring(key.length() + 1)).findFirst();
    }

    boolean has(String flag) {
        return words.stream().skip(1).anyMatch(flag::equals);
    }

    /// The line with escapes, without its end.
    String text() {
        return words.stream().map(AuthLine::escaped).collect(Collectors.joining("\t"));
    }

    private static String escaped(String word) {
        StringBuilder out = new StringBuilder(word.length());
        for (char each : word.toCharArray()) {
            int at = PLAIN.indexOf(each);
            if (at < 0) {
                out.append(each);
            } else {
                out.append(ESCAPE).append(LETTERS.charAt(at));
            }
        }
        return out.toString();
    }

    private static String unescaped(String word) {
        StringBuilder out = new StringBuilder(word.length());
        for (int at = 0; at < word.length(); at++) {
            char each = word.charAt(at);
            int letter = each == ESCAPE && at + 1 < word.length() ? LETTERS.indexOf(word.charAt(at + 1)) : -1;
            out.append(letter < 0 ? each : PLAIN.charAt(letter));
            at += letter < 0 ? 0 : 1;
        }
        return out.toString();
    }
}
