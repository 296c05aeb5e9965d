package org.slipstream.smtpout;

import org.slipstream.smtpout.auth.Credentials;
import org.slipstream.smtpout.dialog.TlsPolicy;

import java.util.Objects;
import java.util.Optional;

/// The policy for the hosts of one destination: required TLS, and this server's login.
///
/// @param implicitTls TLS from the first byte, as on port 465 (RFC 8314)
/// @param login mail for this destination waits while the login fails
/// @param loginInTheClear the password may be sent without TLS
public record PeerPolicy(TlsPolicy tls, boolean implicitTls, Optional<Credentials> login, boolean loginInTheClear) {
    public PeerPolicy {
        Objects.requireNonNull(tls);
        Objects.requireNonNull(login);
        if (implicitTls && !tls.isMandatory()) {
            throw new IllegalArgumentException("implicit TLS requires mandatory TLS, not " + tls);
        }
    }

    PeerPolicy with(TlsPolicy other) {
        return new PeerPolicy(other, implicitTls, login, loginInTheClear);
    }

    /// The policy for hosts without one of their own.
    static PeerPolicy usual(boolean startTls) {
        return new PeerPolicy(startTls ? TlsPolicy.MAY : TlsPolicy.NONE, false, Optional.empty(), false);
    }
}
