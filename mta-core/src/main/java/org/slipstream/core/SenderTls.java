package org.slipstream.core;

/// The word of a message's sender about the TLS on its way (RFC 8689).
public enum SenderTls {
    USUAL,
    /// REQUIRETLS: relay only over authenticated TLS to hosts that announce it, else bounce.
    REQUIRED,
    /// `TLS-Required: No`: send it also where the TLS fails that the owner of the recipients' domain demands.
    OPTIONAL
}
