package org.slipstream.smtpin;

import org.slipstream.core.Address;

import java.util.Optional;

/// What clients say, in a form that cannot break a log line or pretend to be another.
final class Logged {
    private static final int LONGEST = 200;

    private Logged() {}

    /// For between quotes.
    static String text(String said) {
        StringBuilder safe = new StringBuilder(Math.min(said.length(), LONGEST));
        said.codePoints().limit(LONGEST).forEach(
                c -> safe.appendCodePoint(c == '"' ? '\'' : Character.isISOControl(c) ? '?' : c));
        return safe.toString();
    }

    static String from(Optional<Address> sender) {
        return " from=<" + sender.map(Address::toString).orElse("") + ">";
    }
}
