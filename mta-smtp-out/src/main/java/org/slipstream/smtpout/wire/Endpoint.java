package org.slipstream.smtpout.wire;

import org.slipstream.core.dns.AddressText;

import java.net.InetAddress;
import java.nio.file.Path;

/// The address of a wire. Its text is the peer's name in logs and outcomes.
public sealed interface Endpoint {
    /// @param name the host name that led to the address, or the literal address
    record Tcp(String name, InetAddress address, int port) implements Endpoint {
        @Override
        public String toString() {
            return name + "[" + AddressText.of(address) + "]:" + port;
        }
    }

    record Unix(Path path) implements Endpoint {
        @Override
        public String toString() {
            return "unix:" + path;
        }
    }
}
