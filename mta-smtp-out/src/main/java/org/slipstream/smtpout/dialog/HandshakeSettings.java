package org.slipstream.smtpout.dialog;

import org.slipstream.smtpout.auth.Credentials;

import java.util.Objects;
import java.util.Optional;

/// The client's identity and TLS policy for one peer.
///
/// @param hostname in EHLO
/// @param implicitTls the connection begins with TLS (RFC 8314 section 3.3) and does not use
///     STARTTLS
/// @param login credentials for this peer; mail waits while the login fails
/// @param loginInTheClear the password may be sent in clear text; otherwise it needs TLS
/// @param nonce unpredictable printable ASCII without commas, for this connection only; used for a
///     login
public record HandshakeSettings(String hostname, TlsPolicy tls, boolean implicitTls, Optional<Credentials> login,
        boolean loginInTheClear, String nonce) {
    public HandshakeSettings {
        Objects.requireNonNull(hostname);
        Objects.requireNonNull(tls);
        Objects.requireNonNull(login);
        Objects.requireNonNull(nonce);
    }

    /// Without a login.
    public static HandshakeSettings of(String hostname, boolean wantsTls) {
        return new HandshakeSettings(hostname, wantsTls ? TlsPolicy.MAY : TlsPolicy.NONE, false, Optional.empty(),
                false, "");
    }
}
