package org.slipstream.smtpout.dialog;

/// The required use of TLS with a peer, from the loosest to the strictest.
public enum TlsPolicy {
    /// Not used, even when offered.
    NONE,
    /// Used when offered; otherwise, or when it fails, mail is sent in clear text (RFC 7435).
    MAY,
    /// Required; the certificate is not checked.
    ENCRYPT,
    /// Required, with a certificate of a known authority that is valid for the host's name, by the policy
    /// of the recipients' domain (RFC 8461).
    STS,
    /// Required, with a certificate that the TLSA records of the host name (RFC 7672).
    DANE,
    /// Required, with a certificate that is valid for the host's name.
    VERIFY;

    /// True when mail waits rather than being sent in clear text.
    public boolean isMandatory() {
        return compareTo(ENCRYPT) >= 0;
    }

    /// True when the host proves who it is.
    public boolean isAuthenticated() {
        return compareTo(STS) >= 0;
    }
}
