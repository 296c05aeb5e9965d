package org.slipstream.config;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The TLS that a route or a destination demands of its hosts, from the loosest to the strictest.
public enum TlsUse {
    NONE, MAY, ENCRYPT, VERIFY;

    /// Mail waits rather than going in the clear.
    public static final List<TlsUse> STRICT = List.of(ENCRYPT, VERIFY);

    public static TlsUse of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// True when this is a demand, and the other one is none or a smaller one.
    public boolean isStricter(Optional<TlsUse> other) {
        return STRICT.contains(this) && other.map(each -> compareTo(each) > 0).orElse(true);
    }
}
