package org.slipstream.smtpout.wire;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The local addresses of outgoing connections, by family. Empty: the system chooses.
///
/// @param name of the source (`[source.NAME]`) that they belong to; empty for those of the server
/// @param hostname in EHLO instead of the server's
/// @param exit the way through a proxy. The addresses are then those that the remote host sees, and are not of
///     this machine
public record Sources(Optional<Inet4Address> v4, Optional<Inet6Address> v6, Optional<String> name,
        Optional<String> hostname, Optional<ProxyExit> exit) {
    public static final Sources ANY = new Sources(Optional.empty(), Optional.empty());

    public Sources {
        Objects.requireNonNull(v4);
        Objects.requireNonNull(v6);
        Objects.requireNonNull(name);
        Objects.requireNonNull(hostname);
        Objects.requireNonNull(exit);
    }

    public Sources(Optional<Inet4Address> v4, Optional<Inet6Address> v6) {
        this(v4, v6, Optional.empty(), Optional.empty(), Optional.empty());
    }

    /// The address from which the remote host at this address sees the connection; empty when it is not set.
    Optional<? extends InetAddress> to(InetAddress address) {
        return address instanceof Inet4Address ? v4 : v6;
    }

    /// False for a family in which a source with a name has no address: another address of this machine
    /// would be a stranger there.
    public boolean reaches(InetAddress address) {
        return name.isEmpty() || v4.isEmpty() && v6.isEmpty() || to(address).isPresent();
    }

    @Override
    public String toString() {
        return name.orElseGet(() -> Stream.concat(v4.stream(), v6.stream()).map(InetAddress::getHostAddress)
                .collect(Collectors.joining("+")));
    }
}
