package org.slipstream.cli.setup;

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
    /// Unique local addresses of IPv6 (RFC 4193), which Java calls global.
    private static final int UNIQUE_LOCAL = 0xfc;
    private static final int UNIQUE_LOCAL_BITS = 0xfe;

    private PublicAddress() {}

    static Optional<String> find() {
        try {
            return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                    .filter(PublicAddress::isPublic)
                    .min(Comparator.comparing(address -> !(address instanceof Inet4Address))).map(AddressText::of);
        } catch (SocketException none) {
            return Optional.empty();
        }
    }

    static boolean isPublic(InetAddress address) {
        byte first = address.getAddress()[0];
        return !address.isAnyLocalAddress() && !address.isLoopbackAddress() && !address.isLinkLocalAddress()
                && !address.isSiteLocalAddress() && !address.isMulticastAddress()
                && (address instanceof Inet4Address || (first & UNIQUE_LOCAL_BITS) != UNIQUE_LOCAL);
    }
}
