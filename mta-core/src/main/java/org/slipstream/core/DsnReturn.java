package org.slipstream.core;

/// How much of the message a failure report returns: the RET parameter of MAIL (RFC 3461 section 4.3).
public enum DsnReturn {
    /// Nothing was said: the server chooses (we return headers).
    UNSPECIFIED, FULL, HEADERS
}
