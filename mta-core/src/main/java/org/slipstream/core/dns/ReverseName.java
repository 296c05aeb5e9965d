package org.slipstream.core.dns;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Collectors;

/// Names of addresses in DNS: the parts of an address in reverse order below a zone (RFC 1035
/// section 3.5, RFC 3596 section 2.5). Block lists use the same form (RFC 5782).
public final class ReverseName {
    private ReverseName() {}

    /// The name of the PTR record: `1.2.0.192.in-addr.arpa`.
    public static String of(InetAddress address) {
        return below(address, address instanceof Inet4Address ? "in-addr.arpa" : "ip6.arpa");
    }

    /// The name of the address below another zone.
    public static String below(InetAddress address, String zone) {
        return String.join(".", Arrays.asList(dotted(address).split("\\.")).reversed()) + "." + zone;
    }

    /// The parts in the usual order: `192.0.2.1`, or 32 hexadecimal digits between dots.
    public static String dotted(InetAddress address) {
        return address instanceof Inet4Address
                ? address.getHostAddress()
                : HexFormat.of().formatHex(address.getAddress()).chars().mapToObj(c -> String.valueOf((char) c))
                        .collect(Collectors.joining("."));
    }
}
