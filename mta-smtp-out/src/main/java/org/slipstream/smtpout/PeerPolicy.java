package org.slipstream.smtpout;

import org.slipstream.smtpout.auth.Credentials;
import org.slipstream.smtpout.dialog.TlsPolicy;

import java.util.Objects;
import java.util.Optional;

/// What is demanded of the hosts of one destination, and who we are to them.
///
/// @param implicitTls TLS from the first byte, as on port 465 (RFC 8314)
/// @param login mail for this destination waits when it cannot be used
/// @param loginInTheClear the password may be shown without TLS
public record PeerPolicy(TlsPolicy tls, boolean implicitTls, Optional<Credentials> login, boolean loginInTheClear) {
    public PeerPolicy {
        Objects.requireNonNull(tls);
        Objects.requireNonNull(login);
        if (implicitTls && !tls.isMandatory()) {
            throw new IllegalArgumentException("TLS from the first byte is mandatory TLS, not " + tls);
        }
    }

    /// Any host of the Internet.
    static PeerPolicy usual(boolean startTls) {
        return new PeerPolicy(startTls ? TlsPolicy.MAY : TlsPolicy.NONE, false, Optional.empty(), false);
    }
}
