package org.slipstream.server.route;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Optional;

/// The addresses at which other servers reach this one. A domain whose mail exchanger has such an
/// address is ours, or misconfigured: mail sent there would loop back (RFC 5321 section 5.1).
public final class OwnAddresses {
    private static final int SMTP_PORT = 25;

    private final Optional<InetSocketAddress> listener;

    /// @param listener for mail from other servers. On another port than 25 it is not the one that
    ///     DNS names
    public OwnAddresses(Optional<InetSocketAddress> listener) {
        this.listener = listener.filter(address -> address.getPort() == SMTP_PORT);
    }

    public boolean contains(InetAddress address) {
        return listener.map(InetSocketAddress::getAddress)
                .filter(own -> own.equals(address) || own.isAnyLocalAddress() && isOfThisMachine(address)).isPresent();
    }

    private static boolean isOfThisMachine(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException unknown) {
            return false;
        }
    }
}
