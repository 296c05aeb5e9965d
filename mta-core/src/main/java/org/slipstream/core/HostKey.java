package org.slipstream.core;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The key of a host: address, port, and the terms of a session. Deliveries with equal keys may
/// share a connection.
///
/// The address is a literal, or the host's name when no address is known yet. A host with several
/// addresses has one key, with the first address in canonical order. Two names with the same first
/// address have the same key, so domains that share their MX hosts share connections.
///
/// @param address literal address without brackets, or a host name, lower case
public record HostKey(String address, int port, Terms terms) implements Comparable<HostKey> {
    private static final Pattern FORM = Pattern.compile("\\[(.+)\\]:(\\d{1,5})/([^/]*)(?:/([^/]*)/([^/]*))?");
    private static final Comparator<HostKey> ORDER = Comparator.comparing(HostKey::address)
            .thenComparingInt(HostKey::port).thenComparing(key -> key.terms().toString());
    private static final Comparator<String> CANONICAL = Comparator
            .comparing((String address) -> address.indexOf(':') >= 0).thenComparing(Comparator.naturalOrder());

    /// The properties that two sessions to one address must have in common.
    ///
    /// @param tls the policy class, for example `may` or `verify`
    /// @param source our own address, empty for any
    /// @param credentials the name of the login, empty for none
    public record Terms(String tls, String source, String credentials) {
        /// Opportunistic TLS from any address, without a login.
        public static final Terms USUAL = new Terms("may", "", "");

        public Terms {
            if ((tls + source + credentials).indexOf('/') >= 0) {
                throw new IllegalArgumentException("terms are written with slashes between them: " + tls);
            }
        }

        @Override
        public String toString() {
            return source.isEmpty() && credentials.isEmpty() ? tls : tls + "/" + source + "/" + credentials;
        }
    }

    public HostKey {
        // Paths of the file system are case-sensitive: lower case could merge two sockets.
        address = address.contains("unix:") ? address : address.toLowerCase(Locale.ROOT);
        Objects.requireNonNull(terms);
    }

    public static HostKey of(String address, int port) {
        return new HostKey(address, port, Terms.USUAL);
    }

    /// The key of a named host: its first address, IPv4 before IPv6, or the name itself.
    public static HostKey of(String name, List<String> addresses, int port, Terms terms) {
        return new HostKey(addresses.stream().min(CANONICAL).orElse(name), port, terms);
    }

    /// Parses the form of [#toString].
    public static Optional<HostKey> parse(String text) {
        Matcher match = FORM.matcher(text);
        if (!match.matches()) {
            return Optional.empty();
        }
        Terms terms = new Terms(match.group(3), Optional.ofNullable(match.group(4)).orElse(""),
                Optional.ofNullable(match.group(5)).orElse(""));
        return Optional.of(new HostKey(match.group(1), Integer.parseInt(match.group(2)), terms));
    }

    @Override
    public int compareTo(HostKey other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return "[" + address + "]:" + port + "/" + terms;
    }
}
