package org.slipstream.smtpout;

/// The knowledge about the identity of the peer on a connection.
enum Assurance {
    /// Unauthenticated, perhaps in clear text.
    NONE,
    /// TLS with a certificate that is valid for the host's name.
    AUTHENTICATED,
    /// LMTP: the peer delivers into mailboxes and does not relay.
    FINAL
}
