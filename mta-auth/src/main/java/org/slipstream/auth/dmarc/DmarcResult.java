package org.slipstream.auth.dmarc;

/// The results that RFC 9989 section 9.2 registers.
public enum DmarcResult {
    NONE, PASS, FAIL, TEMPERROR, PERMERROR
}
