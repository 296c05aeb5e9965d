package org.slipstream.smtpout.wire;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The local addresses of outgoing connections, by family. Empty: the system chooses.
public record Sources(Optional<Inet4Address> v4, Optional<Inet6Address> v6) {
    public static final Sources ANY = new Sources(Optional.empty(), Optional.empty());

    /// The local address for a connection to this address.
    Optional<? extends InetAddress> to(InetAddress address) {
        return address instanceof Inet4Address ? v4 : v6;
    }

    @Override
    public String toString() {
        return Stream.concat(v4.stream(), v6.stream()).map(InetAddress::getHostAddress)
                .collect(Collectors.joining("+"));
    }
}
