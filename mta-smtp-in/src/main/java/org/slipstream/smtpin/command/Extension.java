package org.slipstream.smtpin.command;

/// A service extension by the keyword EHLO announces it with (RFC 5321 section 4.1.1.1).
///
/// The grammar of all of them is always known; which of them a service offers is its policy's choice, and a parameter of one that
/// is not offered is answered as an unknown one.
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
    /// Postfix's, for listed clients that speak for somebody else.
    XCLIENT("XCLIENT");

    private final String keyword;

    Extension(String keyword) {
        this.keyword = keyword;
    }

    public String keyword() {
        return keyword;
    }
}
