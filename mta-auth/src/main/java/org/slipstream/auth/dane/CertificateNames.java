package org.slipstream.auth.dane;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// The names that a certificate is for.
public final class CertificateNames {
    private static final int DNS_NAME = 2;

    private CertificateNames() {}

    /// The alternative names of hosts and addresses; none when they cannot be read.
    public static List<String> of(X509Certificate certificate) {
        List<String> names = new ArrayList<>();
        try {
            Collection<List<?>> all = certificate.getSubjectAlternativeNames();
            for (List<?> name : all == null ? List.<List<?>>of() : all) {
                if (name.get(1) instanceof String text && (name.getFirst().equals(DNS_NAME) || text.indexOf('@') < 0)) {
                    names.add(text);
                }
            }
        } catch (CertificateParsingException unreadable) {
            return List.of();
        }
        return names;
    }

    /// True when the certificate is for this host. A star stands for the leftmost label (RFC 6125 section
    /// 6.4.3).
    public static boolean cover(X509Certificate certificate, String host) {
        int dot = host.indexOf('.');
        return of(certificate).stream().anyMatch(name -> name.equalsIgnoreCase(host)
                || name.startsWith("*.") && dot > 0 && name.substring(1).equalsIgnoreCase(host.substring(dot)));
    }
}
