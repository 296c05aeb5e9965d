package org.slipstream.core;

import java.util.Optional;

/// An enhanced mail system status code, `class.subject.detail` (RFC 3463; registry of RFC 5248).
///
/// @param category 2 success, 4 persistent transient failure, 5 permanent failure
/// @param subject 0 to 999
/// @param detail 0 to 999
public record EnhancedStatus(int category, int subject, int detail) {
    public EnhancedStatus {
        if (category != 2 && category != 4 && category != 5 || subject < 0 || subject > 999 || detail < 0
                || detail > 999) {
            throw new IllegalArgumentException("no status: " + category + "." + subject + "." + detail);
        }
    }

    public static Optional<EnhancedStatus> parse(String text) {
        int dot = text.indexOf('.', 2);
        if (dot < 0 || text.charAt(1) != '.') {
            return Optional.empty();
        }
        int category = number(text, 0, 1);
        int subject = number(text, 2, dot);
        int detail = number(text, dot + 1, text.length());
        boolean known = category == 2 || category == 4 || category == 5;
        return known && subject >= 0 && detail >= 0
                ? Optional.of(new EnhancedStatus(category, subject, detail))
                : Optional.empty();
    }

    /// One to three digits; -1 for anything else. Every reply has a status, so this avoids the cost
    /// of a regular expression.
    private static int number(String text, int from, int to) {
        if (to <= from || to > from + 3) {
            return -1;
        }
        int number = 0;
        for (int i = from; i < to; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = 10 * number + digit;
        }
        return number;
    }

    public static EnhancedStatus of(String text) {
        return parse(text).orElseThrow(() -> new IllegalArgumentException("no enhanced status: " + text));
    }

    @Override
    public String toString() {
        return category + "." + subject + "." + detail;
    }
}
