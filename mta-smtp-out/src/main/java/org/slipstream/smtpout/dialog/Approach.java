package org.slipstream.smtpout.dialog;

import org.slipstream.smtpout.auth.Credentials;

import java.util.Objects;
import java.util.Optional;

/// How we present ourselves to one peer.
///
/// @param hostname our name in EHLO
/// @param implicitTls the connection begins with TLS (RFC 8314 section 3.3), STARTTLS is not asked for
/// @param login who we are to this peer; mail waits when it cannot be said
/// @param loginInTheClear the password may be shown to whoever listens; otherwise it needs TLS
/// @param nonce printable ASCII without commas that nobody can guess, of this connection only; used for a login
public record Approach(String hostname, TlsPolicy tls, boolean implicitTls, Optional<Credentials> login,
        boolean loginInTheClear, String nonce) {
    public Approach {
        Objects.requireNonNull(hostname);
        Objects.requireNonNull(tls);
        Objects.requireNonNull(login);
        Objects.requireNonNull(nonce);
    }

    /// As nobody in particular.
    public static Approach of(String hostname, boolean wantsTls) {
        return new Approach(hostname, wantsTls ? TlsPolicy.MAY : TlsPolicy.NONE, false, Optional.empty(), false, "");
    }
}
