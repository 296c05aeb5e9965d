package org.slipstream.server.monitor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.guard.tls.TlsContexts;
import org.slipstream.guard.tls.TlsSettings;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class CertificateWatchTest {
    private static final TlsSettings NONE = new TlsSettings(Optional.empty(), Optional.empty());

    @TempDir
    Path home;

    private TlsSettings settings = NONE;
    private Instant now = Instant.now();
    private final CertificateWatch watch = new CertificateWatch(() -> settings, () -> now);

    @Test
    void aCertificateIsATroubleFromTwoWeeksBeforeItsEndUntilItIsRenewed() throws Exception {
        assertThat(watch.trouble()).as("the self-signed pair is not looked at").isEmpty();
        TlsContexts.open(NONE, home, "mail.example.org");
        Path file = home.resolve("tls/self-signed.crt");
        settings = new TlsSettings(Optional.of(file), Optional.of(home.resolve("tls/self-signed.key")));
        X509Certificate certificate = TlsContexts.certificates(file).getFirst();
        Instant end = certificate.getNotAfter().toInstant();
        now = end.minus(Duration.ofDays(15));
        assertThat(watch.trouble()).isEmpty();
        now = end.minus(Duration.ofDays(13));
        assertThat(watch.trouble()).hasValueSatisfying(each -> {
            assertThat(each.what()).isEqualTo("certificate");
            assertThat(each.reason()).contains(file.toString(), " ends at " + end);
        });
        now = end.plusSeconds(1_000);
        assertThat(watch.trouble().orElseThrow().reason()).contains("has expired at " + end);
        Files.delete(file);
        assertThat(watch.trouble()).as("the files are read once in ten minutes").isPresent();
        now = now.plus(Duration.ofMinutes(10));
        assertThat(watch.trouble()).isEmpty();
    }
}
