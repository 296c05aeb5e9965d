package org.slipstream.smtpout.dialog;

/// How much TLS a peer owes us.
public enum TlsPolicy {
    /// Not used, even when offered.
    NONE,
    /// Used when offered; without it, or when it fails, mail goes in the clear (RFC 7435).
    MAY,
    /// No mail without it. Whose certificate it is does not matter.
    ENCRYPT,
    /// No mail without it, and the certificate must be valid for the host's name.
    VERIFY;

    /// True when mail waits rather than going in the clear.
    public boolean isMandatory() {
        return this == ENCRYPT || this == VERIFY;
    }
}
