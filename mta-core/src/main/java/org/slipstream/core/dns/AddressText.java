package org.slipstream.core.dns;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/// Addresses as other programs write them.
public final class AddressText {
    private AddressText() {}

    /// `192.0.2.1`, and IPv6 in its short form (RFC 5952 section 4): `2001:db8::1`.
    public static String of(InetAddress address) {
        if (address instanceof Inet4Address) {
            return address.getHostAddress();
        }
        byte[] octets = address.getAddress();
        List<String> groups = new ArrayList<>();
        for (int i = 0; i < octets.length; i += 2) {
            groups.add(Integer.toHexString((octets[i] & 0xff) << 8 | octets[i + 1] & 0xff));
        }
        int longest = 0;
        int start = 0;
        for (int from = 0; from < groups.size(); from++) {
            int to = from;
            while (to < groups.size() && groups.get(to).equals("0")) {
                to++;
            }
            // The first of two equal runs is shortened; a single zero is none.
            if (to - from > Math.max(1, longest)) {
                longest = to - from;
                start = from;
            }
        }
        return longest == 0
                ? String.join(":", groups)
                : String.join(":", groups.subList(0, start)) + "::"
                        + String.join(":", groups.subList(start + longest, groups.size()));
    }
}
