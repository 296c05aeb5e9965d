package org.slipstream.smtpin.policy;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.HexFormat;

/// The prefix that groups client addresses. An IPv4 address stands for a machine or a household. An
/// IPv6 machine has at least a /64, so a single IPv6 address identifies nothing.
///
/// @param ipv4Bits of the prefix, 0 to 32
/// @param ipv6Bits of the prefix, 0 to 128
public record ClientNetwork(int ipv4Bits, int ipv6Bits) {
    public static ClientNetwork standard() {
        return new ClientNetwork(32, 64);
    }

    /// The prefix of the address as a key.
    public String key(InetAddress address) {
        byte[] octets = address.getAddress();
        int bits = address instanceof Inet4Address ? ipv4Bits : ipv6Bits;
        for (int i = 0; i < octets.length; i++) {
            int kept = Math.clamp(bits - 8L * i, 0, 8);
            octets[i] &= (byte) (0xff00 >> kept);
        }
        return HexFormat.of().formatHex(octets) + "/" + bits;
    }
}
