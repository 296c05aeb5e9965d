package org.slipstream.smtpout;

/// What is certain of the peer at the other end of a connection.
enum Assurance {
    /// Whoever answered, perhaps in the clear.
    NONE,
    /// TLS with a certificate that is valid for the host's name.
    AUTHENTICATED,
    /// It relays to nobody: LMTP, into the recipients' mailboxes.
    FINAL
}
