package org.slipstream.core;

/// The RET parameter of MAIL: the part of the message that a failure report returns (RFC 3461
/// section 4.3).
public enum DsnReturn {
    /// The parameter was absent: this server returns the headers.
    UNSPECIFIED, FULL, HEADERS
}
