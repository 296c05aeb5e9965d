package org.slipstream.core;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A block of addresses in CIDR notation, `192.0.2.0/24` or `2001:db8::/32`; a bare address is a
/// block of one.
public record Network(InetAddress base, int prefixBits) {
    /// Blocks that lead to this machine, to its neighbours, to groups, or around the other blocks in another form.
    private static final List<Network> NOT_PUBLIC = Stream.of("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10",
            "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15",
            "224.0.0.0/3", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16", "fc00::/7",
            "fe80::/9", "ff00::/8").flatMap(block -> parse(block).stream()).toList();

    /// False for an address that a stranger must not make this server connect to.
    public static boolean isPublic(InetAddress address) {
        return NOT_PUBLIC.stream().noneMatch(block -> block.contains(address));
    }

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
