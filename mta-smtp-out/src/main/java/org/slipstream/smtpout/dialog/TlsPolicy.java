package org.slipstream.smtpout.dialog;

/// The required use of TLS with a peer, from the loosest to the strictest.
public enum TlsPolicy {
    /// Not used, even when offered.
    NONE,
    /// Used when offered; otherwise, or when it fails, mail is sent in clear text (RFC 7435).
    MAY,
    /// Required; the certificate is not checked.
    ENCRYPT,
    /// Required, with a certificate that is valid for the host's name.
    VERIFY;

    /// True when mail waits rather than being sent in clear text.
    public boolean isMandatory() {
        return this == ENCRYPT || this == VERIFY;
    }
}
