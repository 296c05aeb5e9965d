package org.slipstream.guard.tls;

import org.bouncycastle.asn1.pkcs.EncryptedPrivateKeyInfo;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.pkcs.RSAPrivateKey;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Optional;

import javax.net.ssl.SSLContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TlsContextsTest {
    private static final TlsSettings NOTHING_SET = new TlsSettings(Optional.empty(), Optional.empty());

    @TempDir
    Path home;

    @Test
    void aServerWithoutACertificateMakesOneThatClientsCanUse() throws Exception {
        SSLContext context = TlsContexts.open(NOTHING_SET, home, "mail.here.example");
        X509Certificate shown = handshake(context);
        assertThat(shown.getSubjectX500Principal().getName()).isEqualTo("CN=mail.here.example");
        assertThat(shown.getSubjectAlternativeNames()).containsExactly(List.of(2, "mail.here.example"));
        shown.verify(shown.getPublicKey());
        shown.checkValidity();
        assertThat(shown.getNotAfter().toInstant()).isAfter(Instant.now().plusSeconds(9L * 365 * 86_400));
    }

    @Test
    void theSecondStartUsesTheSamePair() throws Exception {
        X509Certificate first = handshake(TlsContexts.open(NOTHING_SET, home, "mail.here.example"));
        X509Certificate second = handshake(TlsContexts.open(NOTHING_SET, home, "renamed.here.example"));
        assertThat(second).isEqualTo(first);
    }

    @Test
    void onlyTheOwnerReadsTheKey() throws Exception {
        TlsContexts.open(NOTHING_SET, home, "mail.here.example");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("tls/self-signed.key"))))
                .isEqualTo("rw-------");
        try (var files = Files.list(home.resolve("tls"))) {
            assertThat(files.map(f -> f.getFileName().toString())).containsExactlyInAnyOrder("self-signed.key",
                    "self-signed.crt");
        }
    }

    @Test
    void aPairOfWhichACrashLeftHalfIsMadeAgain() throws Exception {
        TlsContexts.open(NOTHING_SET, home, "mail.here.example");
        Files.delete(home.resolve("tls/self-signed.crt"));
        Files.writeString(home.resolve("tls/self-signed.key.tmp"), "half a k");
        assertThat(handshake(TlsContexts.open(NOTHING_SET, home, "mail.here.example"))).isNotNull();
    }

    @Test
    void aServerNamedByItsAddressIsCertifiedByItsAddress() throws Exception {
        assertThat(handshake(TlsContexts.open(NOTHING_SET, home, "[192.0.2.1]")).getSubjectAlternativeNames())
                .containsExactly(List.of(7, "192.0.2.1"));
        assertThat(handshake(TlsContexts.open(NOTHING_SET, home.resolve("six"), "[IPv6:2001:db8::1]"))
                .getSubjectAlternativeNames()).containsExactly(List.of(7, "2001:db8:0:0:0:0:0:1"));
    }

    @Test
    void aHostNameTooLongForACommonNameIsStillTheAlternativeName() throws Exception {
        String name = "a".repeat(60) + "." + "b".repeat(60) + ".example";
        assertThat(handshake(TlsContexts.open(NOTHING_SET, home, name)).getSubjectAlternativeNames())
                .containsExactly(List.of(2, name));
    }

    @Test
    void keysAreReadInTheFormsThatOpensslWrites() throws Exception {
        KeyPair rsa = pair("RSA", 2048);
        KeyPair ec = pair("EC", 256);
        X509Certificate ofRsa = certificate("rsa", rsa);
        X509Certificate ofEc = certificate("ec", ec);
        byte[] pkcs1 = RSAPrivateKey.getInstance(PrivateKeyInfo.getInstance(rsa.getPrivate().getEncoded())
                .parsePrivateKey()).getEncoded();
        PrivateKeyInfo info = PrivateKeyInfo.getInstance(ec.getPrivate().getEncoded());
        byte[] parameters = info.getPrivateKeyAlgorithm().getParameters().toASN1Primitive().getEncoded();
        byte[] sec1 = new ECPrivateKey(256,
                ((java.security.interfaces.ECPrivateKey) ec.getPrivate()).getS(),
                info.getPrivateKeyAlgorithm().getParameters()).getEncoded();
        assertThat(handshake(open(pem("CERTIFICATE", ofRsa.getEncoded()),
                pem("PRIVATE KEY", rsa.getPrivate().getEncoded())))).isEqualTo(ofRsa);
        assertThat(handshake(open(pem("CERTIFICATE", ofRsa.getEncoded()), pem("RSA PRIVATE KEY", pkcs1))))
                .isEqualTo(ofRsa);
        assertThat(handshake(open(pem("CERTIFICATE", ofEc.getEncoded()),
                pem("PRIVATE KEY", ec.getPrivate().getEncoded())))).isEqualTo(ofEc);
        assertThat(handshake(open(pem("CERTIFICATE", ofEc.getEncoded()),
                pem("EC PARAMETERS", parameters) + pem("EC PRIVATE KEY", sec1)))).isEqualTo(ofEc);
    }

    @Test
    void theWholeChainIsShownAndTextAroundTheBlocksIsSkipped() throws Exception {
        KeyPair own = pair("EC", 256);
        KeyPair above = pair("EC", 256);
        X509Certificate leaf = certificate("leaf", own, "issuer", above);
        X509Certificate issuer = certificate("issuer", above);
        String file = "Zwölf Zeilen Erklärung\n" + pem("CERTIFICATE", leaf.getEncoded()) + "\n\nand the issuer:\n"
                + pem("CERTIFICATE", issuer.getEncoded()) + pem("PRIVATE KEY", own.getPrivate().getEncoded());
        SSLContext context = open(file, file);
        assertThat(chain(context)).containsExactly(leaf, issuer);
    }

    @Test
    void aChainOutOfOrderIsNamed() throws Exception {
        KeyPair own = pair("EC", 256);
        String leaf = pem("CERTIFICATE", certificate("leaf", own, "issuer", pair("EC", 256)).getEncoded());
        String stranger = pem("CERTIFICATE", certificate("stranger", pair("EC", 256)).getEncoded());
        String key = pem("PRIVATE KEY", own.getPrivate().getEncoded());
        refused(leaf + stranger, key, "server.crt", "CN=leaf", "followed by its issuer CN=issuer");
        refused(stranger + leaf, key, "server.crt", "server's own certificate first");
    }

    @Test
    void aKeyOfAnotherCertificateIsRefused() throws Exception {
        KeyPair own = pair("EC", 256);
        String certificate = pem("CERTIFICATE", certificate("leaf", own).getEncoded());
        for (KeyPair other : List.of(pair("EC", 256), pair("RSA", 2048))) {
            assertThatThrownBy(() -> open(certificate, pem("PRIVATE KEY", other.getPrivate().getEncoded())))
                    .isInstanceOf(TlsFailure.class).hasMessageContaining("does not belong")
                    .hasMessageContaining("server.key").hasMessageContaining("server.crt");
        }
    }

    @Test
    void mistakesOfAFileAreReportedInOneSentenceThatNamesIt() throws Exception {
        KeyPair own = pair("EC", 256);
        String certificate = pem("CERTIFICATE", certificate("leaf", own).getEncoded());
        String key = pem("PRIVATE KEY", own.getPrivate().getEncoded());
        refused("", key, "server.crt", "BEGIN CERTIFICATE");
        refused(key, key, "server.crt", "BEGIN CERTIFICATE");
        refused(certificate, certificate, "server.key", "BEGIN PRIVATE KEY");
        refused(certificate.replace("MII", "AAA"), key, "server.crt", "damaged");
        refused(certificate, pem("PRIVATE KEY", new byte[]{1, 2, 3}), "server.key", "damaged");
        refused(certificate, pem("ENCRYPTED PRIVATE KEY", encryptedKey()), "server.key", "passphrase");
        refused(certificate, "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n"
                + "DEK-Info: AES-256-CBC,00112233445566778899AABBCCDDEEFF\n\nAAAA\n-----END RSA PRIVATE KEY-----\n",
                "server.key", "passphrase");
    }

    @Test
    void aFileThatIsMissingOrNoFileIsNamed() throws IOException {
        Path none = home.resolve("none.crt");
        assertThatThrownBy(() -> TlsContexts.open(
                new TlsSettings(Optional.of(none), Optional.of(none)), home, "unused"))
                .hasMessage("The certificate " + none
                        + " does not exist.");
        assertThatThrownBy(() -> TlsContexts.open(
                new TlsSettings(Optional.of(home), Optional.of(home)), home, "unused"))
                .hasMessage("The certificate " + home
                        + " is a directory.");
    }

    @Test
    void aCertificateWithoutAKeyIsHalfASetting() {
        assertThatThrownBy(() -> TlsContexts.open(
                new TlsSettings(Optional.of(home.resolve("server.crt")), Optional.empty()), home, "mail.here.example"))
                .isInstanceOf(TlsFailure.class).hasMessageContaining("tls.key");
    }

    @Test
    void aFolderThatCannotBeWrittenIsNamed() throws IOException {
        Files.writeString(home.resolve("tls"), "I am a file.");
        assertThatThrownBy(() -> TlsContexts.open(NOTHING_SET, home, "mail.here.example"))
                .isInstanceOf(TlsFailure.class).hasMessageContaining(home.resolve("tls").toString());
    }

    private void refused(String certificate, String key, String... contains) {
        assertThatThrownBy(() -> open(certificate, key)).isInstanceOf(TlsFailure.class)
                .satisfies(e -> assertThat(e.getMessage()).contains(contains).doesNotContain("\n"));
    }

    private SSLContext open(String certificate, String key) throws Exception {
        Path certificateFile = home.resolve("server.crt");
        Path keyFile = home.resolve("server.key");
        Files.writeString(certificateFile, certificate);
        Files.writeString(keyFile, key);
        return TlsContexts.open(new TlsSettings(Optional.of(certificateFile), Optional.of(keyFile)), home, "unused");
    }

    private static KeyPair pair(String algorithm, int bits) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        generator.initialize(bits);
        return generator.generateKeyPair();
    }

    private static X509Certificate certificate(String name, KeyPair pair) throws Exception {
        return certificate(name, pair, name, pair);
    }

    private static X509Certificate certificate(String name, KeyPair pair, String issuer, KeyPair issuing)
            throws Exception {
        Instant now = Instant.now();
        var builder = new JcaX509v3CertificateBuilder(new X500Name("CN=" + issuer), BigInteger.valueOf(name.length()),
                Date.from(now.minusSeconds(60)), Date.from(now.plusSeconds(3_600)), new X500Name("CN=" + name),
                pair.getPublic());
        String algorithm = issuing.getPublic().getAlgorithm().equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA";
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder(algorithm).build(issuing.getPrivate())));
    }

    /// The file is never opened, so it is empty.
    private static byte[] encryptedKey() throws Exception {
        return new EncryptedPrivateKeyInfo(new AlgorithmIdentifier(PKCSObjectIdentifiers.id_PBES2), new byte[32])
                .getEncoded();
    }

    private static String pem(String kind, byte[] encoded) {
        return "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(encoded) + "\n-----END " + kind + "-----\n";
    }

    private static X509Certificate handshake(SSLContext context) throws Exception {
        return chain(context).getFirst();
    }

    private static List<X509Certificate> chain(SSLContext context) throws Exception {
        return Handshake.chain(context, Optional.empty());
    }
}
