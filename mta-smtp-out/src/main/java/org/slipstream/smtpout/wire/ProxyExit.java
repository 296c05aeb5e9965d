package org.slipstream.smtpout.wire;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// A proxy through which the connections of a source leave this network.
///
/// Its host is a literal address: a name would be looked up for each connection, without a limit of time.
public sealed interface ProxyExit {
    String host();

    int port();

    /// A SOCKS5 proxy (RFC 1928). It gets addresses, never names: the look-up of a host stays here, with the
    /// policies that depend on it.
    ///
    /// @param login by user name and password (RFC 1929)
    record Socks5(String host, int port, Optional<ProxyLogin> login) implements ProxyExit {
        @Override
        public String toString() {
            return "socks5://" + host + ":" + port;
        }
    }

    /// A proxy that connects to the target of a PROXY header of version 2, from the source in it.
    record ProxyHeader(String host, int port) implements ProxyExit {
        @Override
        public String toString() {
            return "proxy://" + host + ":" + port;
        }
    }

    /// The login at a proxy. `toString` leaves out the password.
    record ProxyLogin(String user, String password) {
        /// RFC 1929 has one octet for each length.
        public static final int MOST_OCTETS = 255;

        public ProxyLogin {
            if (user.isEmpty() || password.isEmpty() || octets(user) > MOST_OCTETS
                    || octets(password) > MOST_OCTETS) {
                throw new IllegalArgumentException(
                        "a user and a password for a proxy have 1 to " + MOST_OCTETS + " octets");
            }
        }

        private static int octets(String text) {
            return text.getBytes(StandardCharsets.UTF_8).length;
        }

        @Override
        public String toString() {
            return "ProxyLogin[" + user + "]";
        }
    }

    default ProxyExit with(ProxyLogin login) {
        return this instanceof Socks5 socks ? new Socks5(socks.host(), socks.port(), Optional.of(login)) : this;
    }

    private static boolean isAddress(String host) {
        try {
            return !InetAddress.ofLiteral(host).isAnyLocalAddress();
        } catch (IllegalArgumentException name) {
            return false;
        }
    }

    /// `socks5://host:port` or `proxy://host:port`; empty for another text.
    static Optional<ProxyExit> parse(String text) {
        int scheme = text.indexOf("://");
        int colon = text.lastIndexOf(':');
        if (scheme < 0 || colon < scheme + 3 || !text.substring(colon + 1).matches("[1-9][0-9]{0,4}")) {
            return Optional.empty();
        }
        int port = Integer.parseInt(text.substring(colon + 1));
        String host = text.substring(scheme + 3, colon).replaceFirst("^\\[(.*)]$", "$1");
        if (port > 65_535 || !isAddress(host)) {
            return Optional.empty();
        }
        return switch (text.substring(0, scheme)) {
            case "socks5" -> Optional.of(new Socks5(host, port, Optional.empty()));
            case "proxy" -> Optional.of(new ProxyHeader(host, port));
            default -> Optional.empty();
        };
    }
}
