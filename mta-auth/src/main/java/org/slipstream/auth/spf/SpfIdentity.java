package org.slipstream.auth.spf;

/// The name of the sender that is judged (RFC 7208 sections 2.3 and 2.4).
public enum SpfIdentity {
    MAILFROM, HELO
}
