package org.slipstream.auth.spf;

import org.slipstream.core.text.Ascii;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A macro-string after parsing (RFC 7208 section 7.1): literal text and macros. The scan looks at
/// each character once, whatever a stranger's record holds.
///
/// @param endsWithMacro the last part is no literal text
public record MacroText(List<MacroPart> parts, boolean endsWithMacro) {
    /// Letters of any text.
    static final String LETTERS = "slodiphv";
    /// Letters of an explanation (section 7.2).
    static final String EXPLANATION_LETTERS = LETTERS + "crt";
    private static final String DELIMITERS = ".-+,/_=";

    public MacroText {
        parts = List.copyOf(parts);
    }

    /// A part of the text.
    public sealed interface MacroPart {
        record Literal(String text) implements MacroPart {}

        /// @param letter in lower case
        /// @param escaped the letter is written in upper case
        /// @param keep this many parts from the right; 0 for all
        record Macro(char letter, boolean escaped, int keep, boolean reversed, String delimiters)
                implements
                    MacroPart {}
    }

    /// Empty when the text breaks the grammar.
    ///
    /// @param letters that are allowed
    static Optional<MacroText> parse(String text, String letters) {
        return new Scan(text, letters).run();
    }

    private static final class Scan {
        private final String text;
        private final String letters;
        private final List<MacroPart> parts = new ArrayList<>();
        private final StringBuilder literal = new StringBuilder();
        private int at;

        Scan(String text, String letters) {
            this.text = text;
            this.letters = letters;
        }

        Optional<MacroText> run() {
            boolean macroLast = false;
            while (at < text.length()) {
                char c = text.charAt(at++);
                macroLast = c == '%';
                boolean isGood = macroLast ? percent() : isVisible(c);
                if (!isGood) {
                    return Optional.empty();
                }
                if (!macroLast) {
                    literal.append(c);
                }
            }
            endLiteral();
            return Optional.of(new MacroText(parts, macroLast));
        }

        // A space is no part of a term, but of an explanation.
        private boolean isVisible(char c) {
            return c > ' ' && c <= '~' || c == ' ' && letters.equals(EXPLANATION_LETTERS);
        }

        private boolean percent() {
            char c = next();
            switch (c) {
                case '%' -> literal.append('%');
                case '_' -> literal.append(' ');
                case '-' -> literal.append("%20");
                case '{' -> {
                    return macro();
                }
                default -> {
                    return false;
                }
            }
            return true;
        }

        private boolean macro() {
            char written = next();
            char letter = Ascii.lower(String.valueOf(written)).charAt(0);
            int from = at;
            while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
                at++;
            }
            String digits = text.substring(from, at).replaceFirst("^0+", "");
            boolean isZero = at > from && digits.isEmpty();
            boolean reversed = at < text.length() && (text.charAt(at) | 0x20) == 'r';
            at += reversed ? 1 : 0;
            from = at;
            while (at < text.length() && DELIMITERS.indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            String delimiters = text.substring(from, at);
            if (next() != '}' || letters.indexOf(letter) < 0 || isZero) {
                return false;
            }
            endLiteral();
            // No name has more than 128 labels, so a longer number means all.
            int keep = digits.length() > 3 || digits.isEmpty() ? 0 : Integer.parseInt(digits);
            parts.add(new MacroPart.Macro(letter, written != letter, keep, reversed,
                    delimiters.isEmpty() ? "." : delimiters));
            return true;
        }

        private char next() {
            return at < text.length() ? text.charAt(at++) : '\0';
        }

        private void endLiteral() {
            if (!literal.isEmpty()) {
                parts.add(new MacroPart.Literal(literal.toString()));
                literal.setLength(0);
            }
        }
    }
}
