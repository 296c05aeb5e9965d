package org.slipstream.core.text;

import java.util.Optional;
import java.util.function.IntFunction;
import java.util.regex.Pattern;

/// Characters without a form of their own in foreign text. A carriage return could end a line of a
/// report or a command, an escape could change a terminal, and U+202E shows the rest of a line
/// backwards.
///
/// Two sets: a protocol refuses control characters ([#in]); text for a person or a log has no
/// invisible character at all ([#isInvisible]).
public final class Controls {
    /// The categories of [#isInvisible], as a pattern.
    private static final Pattern INVISIBLE_RUN = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Cn}]+");

    private Controls() {}

    /// Controls, line and paragraph separators, characters that change the writing direction or have
    /// no width, and single surrogates.
    public static boolean isInvisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE, Character.UNASSIGNED ->
                true;
            default -> false;
        };
    }

    /// True when the text has a control character.
    public static boolean in(String text) {
        return text.chars().anyMatch(Character::isISOControl);
    }

    /// The reason why a text cannot be part of an order: it has an invisible character.
    ///
    /// @param name of the text
    public static Optional<String> refusal(String name, String text) {
        return text.codePoints().filter(Controls::isInvisible).mapToObj(c -> String
                .format("%s has an invisible character (U+%04X); write it in one line of visible characters", name, c))
                .findFirst();
    }

    private static boolean hasInvisible(String text) {
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            if (isInvisible(text.codePointAt(i))) {
                return true;
            }
        }
        return false;
    }

    /// The text with `?` for each invisible character.
    public static String replaced(String text) {
        return replaced(text, _ -> "?");
    }

    /// The text with a blank for each run of invisible characters, so that it is one line.
    public static String onOneLine(String text) {
        return hasInvisible(text) ? INVISIBLE_RUN.matcher(text).replaceAll(" ") : text;
    }

    /// JSON with an escape for each invisible character. A reader of the JSON gets the same text.
    public static String escapedJson(String json) {
        return replaced(json, c -> Character.isBmpCodePoint(c)
                ? unit((char) c)
                : unit(Character.highSurrogate(c)) + unit(Character.lowSurrogate(c)));
    }

    private static String unit(char c) {
        return String.format("\\u%04x", (int) c);
    }

    private static String replaced(String text, IntFunction<String> instead) {
        if (!hasInvisible(text)) {
            return text;
        }
        StringBuilder safe = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (isInvisible(c)) {
                safe.append(instead.apply(c));
            } else {
                safe.appendCodePoint(c);
            }
        });
        return safe.toString();
    }
}
