package org.slipstream.auth.iprev;

/// The results of RFC 8601 section 2.7.3. An address without a name has a permanent error.
public enum IprevResult {
    PASS, FAIL, TEMPERROR, PERMERROR
}
