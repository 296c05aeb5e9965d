package org.slipstream.smtpout.wire;

import org.slipstream.core.TlsDemand;

import java.util.Optional;

import javax.net.ssl.SSLSocketFactory;

/// The check of a peer's certificate during a handshake.
///
/// @param sockets check the issuer, or all of the certificate
/// @param sni the name that the handshake asks for; empty for the host's name
/// @param byName the certificate must have that name (RFC 6125)
public record TlsCheck(SSLSocketFactory sockets, Optional<String> sni, boolean byName) {
    /// The usual check of the issuer and of the host's name.
    public static TlsCheck ofName(SSLSocketFactory sockets) {
        return new TlsCheck(sockets, Optional.empty(), true);
    }

    /// The check against TLSA records. Its name is the base domain of the records (RFC 7672 section 8.1).
    public static TlsCheck dane(TlsDemand demand) {
        return new TlsCheck(OpportunisticTls.naming(demand), Optional.of(demand.names().getFirst()), false);
    }
}
