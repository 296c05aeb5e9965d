package org.slipstream.auth.dmarc;

/// A domain that SPF or DKIM has authenticated, or could not judge for trouble with DNS. Failed ones
/// are left out.
///
/// @param domain of MAIL FROM, or of the tag `d=`
/// @param passed otherwise the check ended with a temporary error
public record AuthenticatedName(AuthenticatedBy mechanism, String domain, boolean passed) {
    /// DMARC knows two (RFC 9989 section 4.3).
    public enum AuthenticatedBy {
        SPF, DKIM
    }
}
