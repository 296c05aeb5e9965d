package org.slipstream.core;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/// The TLS that the owner of a domain demands of one of its hosts. It is found for each domain before
/// mail is grouped by host, and only deliveries with equal demands share a connection.
///
/// @param names for [Kind#DANE]: the TLSA base domain, then the other names that a certificate may have
/// @param associations for [Kind#DANE]: usable TLSA records as `3 1 1 0123…`, in sorted order
public record TlsDemand(Kind kind, List<String> names, List<String> associations) {
    /// Nothing is demanded: TLS is used when offered.
    public static final TlsDemand NONE = new TlsDemand(Kind.NONE, List.of(), List.of());
    /// TLS is demanded, and nobody says which certificate is right.
    public static final TlsDemand ENCRYPT = new TlsDemand(Kind.ENCRYPT, List.of(), List.of());
    /// A certificate of a known authority for the host's name.
    public static final TlsDemand STS = new TlsDemand(Kind.STS, List.of(), List.of());

    private static final int DIGEST_OCTETS = 8;

    /// The source of a demand.
    public enum Kind {
        NONE,
        /// DANE with TLSA records of which none can be used (RFC 7672 section 2.2).
        ENCRYPT,
        /// MTA-STS in the mode `enforce` (RFC 8461).
        STS,
        /// DANE with usable TLSA records (RFC 7672).
        DANE
    }

    public TlsDemand {
        Objects.requireNonNull(kind);
        names = List.copyOf(names);
        associations = List.copyOf(associations);
    }

    public static TlsDemand dane(List<String> names, List<String> associations) {
        return new TlsDemand(Kind.DANE, names, associations.stream().sorted().distinct().toList());
    }

    public boolean isNone() {
        return kind == Kind.NONE;
    }

    /// A short name of this demand; demands with equal marks are equal.
    public String mark() {
        return switch (kind) {
            case NONE -> "";
            case ENCRYPT -> "encrypt";
            case STS -> "sts";
            case DANE -> "dane-" + digest();
        };
    }

    private String digest() {
        try {
            byte[] all = MessageDigest.getInstance("SHA-256")
                    .digest((String.join(" ", names) + "\n" + String.join("\n", associations))
                            .getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(all, 0, DIGEST_OCTETS);
        } catch (NoSuchAlgorithmException impossible) {
            throw new LinkageError("every Java runtime has SHA-256", impossible);
        }
    }
}
