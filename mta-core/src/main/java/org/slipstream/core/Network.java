package org.slipstream.core;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.Optional;

/// A block of addresses in CIDR notation, `192.0.2.0/24` or `2001:db8::/32`; a bare address is a
/// block of one.
public record Network(InetAddress base, int prefixBits) {
    /// Empty when the text is not a block. Host names are not looked up.
    public static Optional<Network> parse(String text) {
        int slash = text.indexOf('/');
        String host = slash < 0 ? text : text.substring(0, slash);
        boolean literal = host.contains(":") || host.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
        if (!literal) {
            return Optional.empty();
        }
        try {
            InetAddress base = InetAddress.ofLiteral(host);
            int most = base.getAddress().length * 8;
            int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
            return bits < 0 || bits > most ? Optional.empty() : Optional.of(new Network(base, bits));
        } catch (IllegalArgumentException notAnAddress) {
            return Optional.empty();
        }
    }

    public boolean contains(InetAddress address) {
        byte[] ours = base.getAddress();
        byte[] theirs = address.getAddress();
        if (ours.length != theirs.length) {
            return false;
        }
        int whole = prefixBits >> 3;
        int mask = 0xff00 >> (prefixBits & 7) & 0xff;
        return Arrays.mismatch(ours, 0, whole, theirs, 0, whole) < 0
                && (mask == 0 || (ours[whole] & mask) == (theirs[whole] & mask));
    }

    @Override
    public String toString() {
        return base.getHostAddress() + "/" + prefixBits;
    }
}
