package org.slipstream.guard.sender;

/// The treatment of mail that fails DMARC when the owner of the domain asks for quarantine.
public enum Quarantine {
    /// Accepted with the mark of spam, by which mailboxes sort.
    MARK,
    /// Accepted on hold.
    HOLD
}
