package org.slipstream.console;

import java.util.regex.Pattern;

/// Moments for a person: in UTC, to the second.
final class Moments {
    private static final Pattern FRACTION = Pattern.compile("\\.\\d+Z$");

    private Moments() {}

    /// @param text ISO 8601 in UTC; empty when the moment is not known
    static String text(String text) {
        return text.isEmpty() ? "—" : FRACTION.matcher(text).replaceFirst("Z").replace('T', ' ');
    }
}
