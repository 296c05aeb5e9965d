package org.slipstream.core;

import java.util.Optional;
import java.util.regex.Pattern;

/// An enhanced mail system status code, `class.subject.detail` (RFC 3463; registry of RFC 5248).
///
/// @param category 2 success, 4 try again, 5 for good
/// @param subject 0 to 999
/// @param detail 0 to 999
public record EnhancedStatus(int category, int subject, int detail) {
    private static final Pattern FORM = Pattern.compile("([245])\\.([0-9]{1,3})\\.([0-9]{1,3})");

    public EnhancedStatus {
        if (category != 2 && category != 4 && category != 5 || subject < 0 || subject > 999 || detail < 0
                || detail > 999) {
            throw new IllegalArgumentException("no status: " + category + "." + subject + "." + detail);
        }
    }

    public static Optional<EnhancedStatus> parse(String text) {
        var match = FORM.matcher(text);
        return match.matches()
                ? Optional.of(new EnhancedStatus(Integer.parseInt(match.group(1)), Integer.parseInt(match.group(2)),
                        Integer.parseInt(match.group(3))))
                : Optional.empty();
    }

    public static EnhancedStatus of(String text) {
        return parse(text).orElseThrow(() -> new IllegalArgumentException("no enhanced status: " + text));
    }

    @Override
    public String toString() {
        return category + "." + subject + "." + detail;
    }
}
