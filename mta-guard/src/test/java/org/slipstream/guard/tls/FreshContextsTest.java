package org.slipstream.guard.tls;

import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Certificates are renewed while the server runs, and there may be several of them.
class FreshContextsTest {
    private final AtomicLong seconds = new AtomicLong();

    @TempDir
    Path home;

    @BeforeEach
    void pairs() throws Exception {
        make("first.example");
        make("second.example");
    }

    private void make(String name) throws Exception {
        new SelfSigned(home.resolve(name), name).makeIfMissing();
    }

    private Path certificate(String name) {
        return home.resolve(name).resolve("self-signed.crt");
    }

    private Path key(String name) {
        return home.resolve(name).resolve("self-signed.key");
    }

    private FreshContexts contexts(String... further) throws TlsFailure {
        List<TlsSettings.Pair> pairs = List.of(further).stream()
                .map(name -> new TlsSettings.Pair(certificate(name), key(name))).toList();
        TlsSettings tls = new TlsSettings(Optional.of(certificate("first.example")), Optional.of(key("first.example")),
                pairs, List.of());
        return FreshContexts.open(tls, home, "first.example", () -> seconds.get() * 1_000_000_000);
    }

    private void replace(Path old, Path by) throws Exception {
        Files.copy(by, old, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void aRenewedCertificateIsShownToTheNextClient() throws Exception {
        FreshContexts contexts = contexts();
        assertThat(Handshake.name(contexts.get(), "first.example")).isEqualTo("CN=first.example");
        replace(certificate("first.example"), certificate("second.example"));
        replace(key("first.example"), key("second.example"));
        assertThat(contexts.get()).as("within the same second there is no look").isSameAs(contexts.get());
        seconds.addAndGet(2);
        assertThat(Handshake.name(contexts.get(), "first.example")).isEqualTo("CN=second.example");
    }

    @Test
    void betweenTheTwoFilesOfARenewalTheFormerPairHolds() throws Exception {
        FreshContexts contexts = contexts();
        var former = contexts.get();
        replace(certificate("first.example"), certificate("second.example"));
        seconds.addAndGet(2);
        assertThat(contexts.get()).isSameAs(former);
        Files.delete(key("first.example"));
        seconds.addAndGet(2);
        assertThat(contexts.get()).isSameAs(former);
        Files.copy(key("second.example"), key("first.example"));
        seconds.addAndGet(2);
        assertThat(Handshake.name(contexts.get(), "x.example")).isEqualTo("CN=second.example");
    }

    @Test
    void theSelfSignedPairIsMadeForTheFirstHandshakeAndNotAtTheStart() throws Exception {
        TlsSettings none = new TlsSettings(Optional.empty(), Optional.empty(), List.of(), List.of());
        FreshContexts contexts = FreshContexts.open(none, home, "mx.example", () -> 0);
        assertThat(home.resolve("tls")).doesNotExist();
        assertThat(Handshake.name(contexts.get(), "mx.example")).isEqualTo("CN=mx.example");
        assertThat(contexts.get()).isSameAs(contexts.get());
    }

    @Test
    void aSelfSignedPairThatCannotBeMadeIsTriedAgainAtTheNextHandshake() throws Exception {
        TlsSettings none = new TlsSettings(Optional.empty(), Optional.empty(), List.of(), List.of());
        FreshContexts contexts = FreshContexts.open(none, home, "mx.example", () -> 0);
        Path inTheWay = Files.writeString(home.resolve("tls"), "I am a file.");
        assertThatThrownBy(contexts::get).isInstanceOf(IllegalStateException.class).hasMessageContaining("tls");
        Files.delete(inTheWay);
        assertThat(Handshake.name(contexts.get(), "mx.example")).isEqualTo("CN=mx.example");
    }

    @Test
    void aFileThatDoesNotChangeIsReadOnce() throws Exception {
        FreshContexts contexts = contexts();
        var first = contexts.get();
        seconds.addAndGet(100);
        assertThat(contexts.get()).isSameAs(first);
    }

    @Test
    void aClientGetsTheCertificateOfTheNameItAsksForAndOtherwiseTheFirst() throws Exception {
        var context = contexts("second.example").get();
        for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
            assertThat(Handshake.name(context, "second.example", protocol)).isEqualTo("CN=second.example");
            assertThat(Handshake.name(context, "SECOND.example", protocol)).isEqualTo("CN=second.example");
            assertThat(Handshake.name(context, "first.example", protocol)).isEqualTo("CN=first.example");
            assertThat(Handshake.name(context, "other.example", protocol)).isEqualTo("CN=first.example");
            assertThat(Handshake.shown(context, Optional.empty(), protocol).getSubjectX500Principal().getName())
                    .isEqualTo("CN=first.example");
        }
    }

    /// The JDK asks for the kinds of keys one after the other, EC first.
    @Test
    void theNameDecidesAlsoWhenTheKeysAreOfDifferentKinds() throws Exception {
        KeyPairGenerator rsa = KeyPairGenerator.getInstance("RSA");
        rsa.initialize(2048);
        KeyPair keys = rsa.generateKeyPair();
        Instant now = Instant.now();
        X500Name subject = new X500Name("CN=star");
        var builder = new JcaX509v3CertificateBuilder(subject, BigInteger.ONE, Date.from(now.minusSeconds(60)),
                Date.from(now.plusSeconds(3_600)), subject, keys.getPublic());
        builder.addExtension(Extension.subjectAlternativeName, false,
                new GeneralNames(new GeneralName(GeneralName.dNSName, "*.star.example")));
        X509Certificate certificate = new JcaX509CertificateConverter().getCertificate(
                builder.build(new JcaContentSignerBuilder("SHA256withRSA").build(keys.getPrivate())));
        PairChooser chooser = new PairChooser(List.of(
                new PairChooser.KeyPairEntry(PemFiles.chain(certificate("first.example")),
                        PemFiles.key(key("first.example"))),
                new PairChooser.KeyPairEntry(List.of(certificate), keys.getPrivate())));
        assertThat(chooser.choose("EC", Optional.of("mail.star.example"))).isEmpty();
        assertThat(chooser.choose("RSA", Optional.of("mail.star.example"))).contains(1);
        assertThat(chooser.choose("EC", Optional.of("a.mail.star.example"))).contains(0);
        assertThat(chooser.choose("EC", Optional.of("star.example"))).contains(0);
        assertThat(chooser.choose("RSA", Optional.empty())).isEmpty();
        var context = javax.net.ssl.SSLContext.getInstance("TLS");
        context.init(new javax.net.ssl.KeyManager[]{chooser}, null, null);
        for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
            assertThat(Handshake.name(context, "mail.star.example", protocol)).isEqualTo("CN=star");
            assertThat(Handshake.name(context, "first.example", protocol)).isEqualTo("CN=first.example");
        }
    }

    @Test
    void aFurtherPairThatDoesNotFitKeepsTheServerFromStarting() throws Exception {
        replace(key("second.example"), key("first.example"));
        assertThatThrownBy(() -> contexts("second.example")).isInstanceOf(TlsFailure.class)
                .hasMessageContaining(key("second.example").toString()).hasMessageContaining("does not belong");
    }
}
