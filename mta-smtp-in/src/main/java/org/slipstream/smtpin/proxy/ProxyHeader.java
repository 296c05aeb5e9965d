package org.slipstream.smtpin.proxy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// Parses the header of the PROXY protocol (HAProxy's `proxy-protocol.txt`, section 2).
///
/// Version 1 is a line, `PROXY TCP4 192.0.2.1 198.51.100.1 56324 25` and CRLF, at most 107 octets.
/// Version 2 is binary: twelve octets of signature, version and command, family, a length, and that
/// many octets, which begin with the addresses. A command LOCAL, or a family UNKNOWN or UNSPEC, is
/// a connection of the proxy itself: a health check.
///
/// The first [#PREFIX_BYTES] octets identify the version. The shortest header of either version is
/// at least as long, so waiting for them is always safe.
public final class ProxyHeader {
    /// The result of parsing.
    public sealed interface ProxyResult {
        /// @param address of the client
        record Client(InetAddress address, int port) implements ProxyResult {}

        /// A connection of the proxy itself.
        record Itself() implements ProxyResult {}

        record Malformed() implements ProxyResult {}
    }

    public static final int PREFIX_BYTES = 12;
    /// The longest line of version 1 with its CRLF.
    public static final int LINE_BYTES = 107;
    /// The octets of version 2 before its addresses.
    public static final int FIXED_BYTES = 16;
    private static final byte[] SIGNATURE = {'\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'};

    private ProxyHeader() {}

    /// @param prefix the first [#PREFIX_BYTES]
    public static boolean isBinary(byte[] prefix) {
        return Arrays.equals(prefix, 0, PREFIX_BYTES, SIGNATURE, 0, PREFIX_BYTES);
    }

    /// @param prefix the first [#PREFIX_BYTES]
    public static boolean isLine(byte[] prefix) {
        return new String(prefix, 0, 6, StandardCharsets.ISO_8859_1).equals("PROXY ");
    }

    /// The number of octets after the [#FIXED_BYTES] of version 2.
    public static int followingBytes(byte[] fixed) {
        return (fixed[14] & 255) << 8 | fixed[15] & 255;
    }

    /// @param line without CRLF
    public static ProxyResult line(String line) {
        String[] words = line.split(" ", -1);
        if (words.length >= 2 && words[0].equals("PROXY") && words[1].equals("UNKNOWN")) {
            return new ProxyResult.Itself();
        }
        boolean ip4 = words.length > 1 && words[1].equals("TCP4");
        boolean ip6 = words.length > 1 && words[1].equals("TCP6");
        if (words.length != 6 || !words[0].equals("PROXY") || !ip4 && !ip6 || !isPort(words[4])
                || !isPort(words[5])) {
            return new ProxyResult.Malformed();
        }
        Optional<InetAddress> source = literal(words[2], ip6);
        Optional<InetAddress> destination = literal(words[3], ip6);
        return source.isPresent() && destination.isPresent()
                ? new ProxyResult.Client(source.get(), Integer.parseInt(words[4]))
                : new ProxyResult.Malformed();
    }

    /// @param header the whole header
    public static ProxyResult binary(byte[] header) {
        int version = header[12] >> 4 & 15;
        int command = header[12] & 15;
        if (version != 2 || command > 1) {
            return new ProxyResult.Malformed();
        }
        if (command == 0) {
            return new ProxyResult.Itself();
        }
        // Family in the upper half, transport in the lower: 1 stream over IPv4, 2 over IPv6.
        return switch (header[13]) {
            case 0x11 -> address(header, 4);
            case 0x21 -> address(header, 16);
            case 0 -> new ProxyResult.Itself();
            default -> new ProxyResult.Malformed();
        };
    }

    private static ProxyResult address(byte[] header, int bytes) {
        int portAt = FIXED_BYTES + 2 * bytes;
        if (header.length < portAt + 4) {
            return new ProxyResult.Malformed();
        }
        try {
            InetAddress source = InetAddress.getByAddress(
                    Arrays.copyOfRange(header, FIXED_BYTES, FIXED_BYTES + bytes));
            return new ProxyResult.Client(source, (header[portAt] & 255) << 8 | header[portAt + 1] & 255);
        } catch (UnknownHostException e) {
            throw new LinkageError("an address of 4 or 16 octets", e);
        }
    }

    private static boolean isPort(String text) {
        return text.matches("0|[1-9][0-9]{0,4}") && Integer.parseInt(text) <= 65_535;
    }

    private static Optional<InetAddress> literal(String text, boolean ip6) {
        if (!text.matches(ip6 ? "[0-9A-Fa-f:.]{2,39}" : "([0-9]{1,3}\\.){3}[0-9]{1,3}")
                || ip6 != text.contains(":")) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException noAddress) {
            return Optional.empty();
        }
    }
}
