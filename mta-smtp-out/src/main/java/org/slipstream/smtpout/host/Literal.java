package org.slipstream.smtpout.host;

import java.net.InetAddress;
import java.util.Optional;

/// Parses literal addresses.
public final class Literal {
    private Literal() {}

    /// `192.0.2.1` or `2001:db8::1`.
    public static Optional<InetAddress> address(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /// The domain of a mailbox: `[192.0.2.1]` or `[IPv6:2001:db8::1]` (RFC 5321 section 4.1.3).
    public static Optional<InetAddress> domain(String domain) {
        if (!domain.startsWith("[") || !domain.endsWith("]")) {
            return Optional.empty();
        }
        String inside = domain.substring(1, domain.length() - 1);
        boolean tagged = inside.regionMatches(true, 0, "IPv6:", 0, 5);
        return address(tagged ? inside.substring(5) : inside).filter(a -> tagged == a.getHostAddress().contains(":"));
    }
}
