package org.slipstream.core;

import java.util.List;
import java.util.Objects;

/// The TLS that the owner of a domain demands of one of its hosts. It is found for each domain before
/// mail is grouped by host, and only deliveries with equal demands share a connection.
///
/// @param names for [DemandKind#DANE]: the TLSA base domain, then the other names that a certificate may have
/// @param associations for [DemandKind#DANE]: usable TLSA records as `3 1 1 0123…`, in sorted order
public record TlsDemand(DemandKind kind, List<String> names, List<String> associations) {
    /// Nothing is demanded: TLS is used when offered.
    public static final TlsDemand NONE = new TlsDemand(DemandKind.NONE, List.of(), List.of());
    /// TLS is demanded, and any certificate is right.
    public static final TlsDemand ENCRYPT = new TlsDemand(DemandKind.ENCRYPT, List.of(), List.of());
    /// A certificate of a known authority for the host's name.
    public static final TlsDemand STS = new TlsDemand(DemandKind.STS, List.of(), List.of());

    /// The source of a demand.
    public enum DemandKind {
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
        return new TlsDemand(DemandKind.DANE, names, associations.stream().sorted().distinct().toList());
    }

    public boolean isNone() {
        return kind == DemandKind.NONE;
    }
}
