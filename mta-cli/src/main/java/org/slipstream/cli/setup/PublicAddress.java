package org.slipstream.cli.setup;

import org.slipstream.core.Network;
import org.slipstream.core.dns.AddressText;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Comparator;
import java.util.Optional;

/// The address of this machine that others reach, as a suggestion. Behind a translation of addresses
/// the machine has none.
final class PublicAddress {
    private PublicAddress() {}

    static Optional<String> find() {
        try {
            return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                    .filter(Network::isPublic)
                    .min(Comparator.comparing(address -> !(address instanceof Inet4Address))).map(AddressText::of);
        } catch (SocketException none) {
            return Optional.empty();
        }
    }
}
