package org.slipstream.smtpout.demand;

import org.slipstream.smtpout.host.SecureDns.DnsTrust;
import org.slipstream.smtpout.host.SecureDns.SecureAnswer;
import org.slipstream.smtpout.wire.CertificateCheck;

import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;

/// Demands of DANE from a signed zone in which each domain has one host.
public final class FixedDane {
    private FixedDane() {}

    /// @param record of the host's key or authority
    public static TlsDemands of(String host, String record) throws GeneralSecurityException {
        CertificateCheck check = CertificateCheck.trusting(Optional.empty());
        DaneDemands dane = new DaneDemands((name, type) -> new SecureAnswer(DnsTrust.SECURE, switch (type) {
            case "MX" -> List.of("10 " + host);
            case "A" -> List.of("127.0.0.1");
            case "TLSA" -> List.of(record);
            default -> List.of();
        }, name));
        return new TlsDemands(Optional.empty(), Optional.of(dane), () -> check, _ -> {});
    }
}
