package org.slipstream.auth.dane;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The decision whether TLSA records name the certificate of a host (RFC 7672 section 3).
///
/// A record of usage 3 names the host's own certificate: neither its names nor its dates count. A record
/// of usage 2 names an authority: a chain of valid certificates must lead from it to one that has a name
/// of the host.
public final class DaneCertificates {
    private static final String NOT_NAMED = "none of the TLSA records names its certificate";

    private DaneCertificates() {}

    /// The reason of a refusal, in words; empty when the certificate is good.
    ///
    /// @param names of the host, for usage 2
    /// @param chain the host's own certificate first
    public static Optional<String> refusal(List<TlsaRecord> records, List<String> names, List<X509Certificate> chain,
            Instant now) {
        X509Certificate own = chain.getFirst();
        if (records.stream().anyMatch(record -> record.usage() == TlsaRecord.HOST && record.names(own))) {
            return Optional.empty();
        }
        String reason = NOT_NAMED;
        for (TlsaRecord record : records) {
            if (record.isAuthority()) {
                Optional<String> refused = byAuthority(record, names, chain, now);
                if (refused.isEmpty()) {
                    return Optional.empty();
                }
                reason = reason.equals(NOT_NAMED) ? refused.get() : reason;
            }
        }
        return Optional.of(reason);
    }

    private static Optional<String> byAuthority(TlsaRecord record, List<String> names, List<X509Certificate> chain,
            Instant now) {
        for (int at = 1; at < chain.size(); at++) {
            if (record.names(chain.get(at))) {
                return path(chain.get(at), names, chain.subList(0, at), now);
            }
        }
        // The host need not send an authority that stands in DNS as a whole.
        Optional<X509Certificate> whole = record.selector() == 0 && record.matching() == 0
                ? certificate(record)
                : Optional.empty();
        return whole.map(authority -> path(authority, names, chain, now)).orElse(Optional.of(NOT_NAMED));
    }

    private static Optional<X509Certificate> certificate(TlsaRecord record) {
        try {
            return Optional.of((X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(
                    new ByteArrayInputStream(HexFormat.of().parseHex(record.data()))));
        } catch (CertificateException unreadable) {
            return Optional.empty();
        }
    }

    private static Optional<String> path(X509Certificate authority, List<String> names, List<X509Certificate> below,
            Instant now) {
        try {
            PKIXParameters rules = new PKIXParameters(Set.of(new TrustAnchor(authority, null)));
            rules.setRevocationEnabled(false);
            rules.setDate(Date.from(now));
            CertPathValidator.getInstance("PKIX").validate(
                    CertificateFactory.getInstance("X.509").generateCertPath(new ArrayList<>(below)), rules);
        } catch (CertPathValidatorException invalid) {
            return Optional.of("its certificate does not lead to the authority of a TLSA record: "
                    + invalid.getMessage());
        } catch (GeneralSecurityException unreadable) {
            return Optional.of("its certificates cannot be checked: " + unreadable.getMessage());
        }
        return names.stream().anyMatch(name -> CertificateNames.cover(below.getFirst(), name))
                ? Optional.empty()
                : Optional.of("its certificate is not for " + String.join(" or ", names));
    }
}
