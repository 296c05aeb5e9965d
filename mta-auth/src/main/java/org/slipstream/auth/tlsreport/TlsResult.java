package org.slipstream.auth.tlsreport;

import org.slipstream.core.text.Ascii;

import java.util.Arrays;
import java.util.Optional;

/// The end of a session as a TLS report counts it: success, or a result type of RFC 8460 section 4.3.
public enum TlsResult {
    SUCCESS,
    /// The host does not offer STARTTLS.
    STARTTLS_NOT_SUPPORTED,
    /// The certificate has none of the names.
    CERTIFICATE_HOST_MISMATCH, CERTIFICATE_EXPIRED,
    /// No chain leads to a known authority.
    CERTIFICATE_NOT_TRUSTED,
    /// Any other failure of TLS.
    VALIDATION_FAILURE,
    /// No usable TLSA record fits the certificate, or the records are malformed.
    TLSA_INVALID,
    /// The answer of DNS is bogus.
    DNSSEC_INVALID,
    /// DANE is demanded by this server, and the host has no usable TLSA record.
    DANE_REQUIRED,
    /// The policy of MTA-STS could not be fetched.
    STS_POLICY_FETCH_ERROR,
    /// The policy of MTA-STS is malformed.
    STS_POLICY_INVALID,
    /// The web server of the policy has no valid certificate.
    STS_WEBPKI_INVALID;

    /// The word in a report, as `certificate-expired`.
    public String word() {
        return Ascii.lower(name()).replace('_', '-');
    }

    static Optional<TlsResult> of(String word) {
        return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst();
    }
}
