package org.slipstream.smtpout.wire;

import java.net.InetAddress;
import java.nio.file.Path;

/// The address of a wire. Its text is the peer's name in logs and outcomes.
public sealed interface Endpoint {
    /// @param name the host name that led to the address, or the literal address
    record Tcp(String name, InetAddress address, int port) implements Endpoint {
        @Override
        public String toString() {
            return name + "[" + literal(address) + "]:" + port;
        }

        // RFC 5952: the first run of zeros is left out, which is exact enough for logs.
        private static String literal(InetAddress address) {
            String text = address.getHostAddress();
            int scope = text.indexOf('%');
            String bare = scope < 0 ? text : text.substring(0, scope);
            return bare.indexOf(':') < 0 ? bare : bare.replaceFirst("(^|:)(0(:|$)){2,}", "::");
        }
    }

    record Unix(Path path) implements Endpoint {
        @Override
        public String toString() {
            return "unix:" + path;
        }
    }
}
