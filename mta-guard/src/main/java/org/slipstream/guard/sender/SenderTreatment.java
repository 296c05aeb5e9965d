package org.slipstream.guard.sender;

/// The treatment of verdicts about senders.
public enum SenderTreatment {
    /// Senders are not judged.
    OFF,
    /// The verdicts are noted in the header.
    NOTE,
    /// As before, and mail that fails DMARC is refused or marked, as the owner of the domain wants.
    APPLY
}
