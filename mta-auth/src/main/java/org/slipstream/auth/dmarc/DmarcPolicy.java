package org.slipstream.auth.dmarc;

/// The wish of an owner for mail that fails (RFC 9989 section 4.7), from mild to strict.
public enum DmarcPolicy {
    NONE, QUARANTINE, REJECT;

    /// One level below, for a policy that is tested (`t=y`).
    DmarcPolicy milder() {
        return this == REJECT ? QUARANTINE : NONE;
    }
}
