package org.slipstream.smtpout.wire;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.TestCertificates;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class CertificateCheckTest {
    @TempDir
    Path folder;

    @Test
    void aRefusalNamesTheDateTheNamesOrTheIssuer() throws Exception {
        Path expired = folder.resolve("expired.pem");
        TestCertificates.writeExpired("mx.far.example", expired, folder.resolve("key.pem"));
        X509Certificate old = read(expired);
        Instant end = old.getNotAfter().toInstant();
        assertThat(reason(old, "mx.far.example", Instant.now()))
                .startsWith("its certificate expired on " + end).contains("mx.far.example");
        Instant valid = end.minusSeconds(1);
        assertThat(reason(old, "mx.far.example", old.getNotBefore().toInstant().minusSeconds(1)))
                .startsWith("its certificate is valid from " + old.getNotBefore().toInstant());
        assertThat(reason(old, "other.example", valid)).startsWith("its certificate is not for other.example")
                .contains("mx.far.example");
        assertThat(reason(old, "mx.far.example", valid))
                .matches("its certificate is self-signed.*|no known authority.*");
    }

    private static String reason(X509Certificate certificate, String host, Instant now) {
        return CertificateCheck.reason(List.of(certificate), host, now);
    }

    private static X509Certificate read(Path file) throws IOException, CertificateException {
        try (InputStream in = Files.newInputStream(file)) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }
}
