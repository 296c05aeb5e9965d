package org.slipstream.auth.spf;

/// The results of RFC 7208 section 2.6.
public enum SpfResult {
    NONE, NEUTRAL, PASS, FAIL, SOFTFAIL, TEMPERROR, PERMERROR
}
