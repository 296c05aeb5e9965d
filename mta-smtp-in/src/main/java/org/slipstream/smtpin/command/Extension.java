package org.slipstream.smtpin.command;

/// A service extension with its EHLO keyword (RFC 5321 section 4.1.1.1).
///
/// The parser knows the grammar of all of them. A service's configuration chooses which it offers,
/// and a parameter of another is refused as unknown.
public enum Extension {
    /// RFC 2920.
    PIPELINING("PIPELINING"),
    /// RFC 1870.
    SIZE("SIZE"),
    /// RFC 6152.
    EIGHT_BIT_MIME("8BITMIME"),
    /// RFC 6531.
    SMTPUTF8("SMTPUTF8"),
    /// RFC 3030 section 2.
    CHUNKING("CHUNKING"),
    /// RFC 3030 section 3; only together with CHUNKING.
    BINARY_MIME("BINARYMIME"),
    /// RFC 3461.
    DSN("DSN"),
    /// RFC 2034.
    ENHANCED_STATUS_CODES("ENHANCEDSTATUSCODES"),
    /// RFC 3207.
    STARTTLS("STARTTLS"),
    /// RFC 8689; only under TLS.
    REQUIRETLS("REQUIRETLS"),
    /// RFC 9422.
    LIMITS("LIMITS"),
    /// RFC 4954.
    AUTH("AUTH"),
    /// RFC 1985.
    ETRN("ETRN"),
    /// RFC 4865.
    FUTURE_RELEASE("FUTURERELEASE"),
    /// RFC 2852.
    DELIVER_BY("DELIVERBY"),
    /// RFC 6710.
    MT_PRIORITY("MT-PRIORITY"),
    /// Of Postfix, for authorized hosts that act for other clients.
    XCLIENT("XCLIENT");

    private final String keyword;

    Extension(String keyword) {
        this.keyword = keyword;
    }

    public String keyword() {
        return keyword;
    }
}
