package org.slipstream.guard.tls;

import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.settings.WholeFiles;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;

/// The self-signed pair that a server without a certificate creates at its first start. It suffices
/// for STARTTLS with all peers that use opportunistic encryption (RFC 7435), which is nearly all
/// mail between servers.
///
/// EC P-256, ten years, the host name as common name and alternative name. The key is written
/// before the certificate, each to a temporary file that is synced and renamed, so that an existing
/// certificate always has a complete key.
final class SelfSigned {
    private static final Logger log = LoggerFactory.getLogger(SelfSigned.class);
    private static final Duration LIFETIME = Duration.ofDays(3_652);
    private static final Duration CLOCKS_DIFFER = Duration.ofDays(1);
    /// RFC 5280 appendix A.1, ub-common-name-length.
    private static final int LONGEST_COMMON_NAME = 64;

    private final Path directory;
    private final String hostname;

    SelfSigned(Path directory, String hostname) {
        this.directory = directory;
        this.hostname = hostname;
    }

    Path certificate() {
        return directory.resolve("self-signed.crt");
    }

    Path key() {
        return directory.resolve("self-signed.key");
    }

    boolean isThere() {
        return Files.exists(certificate()) && Files.exists(key());
    }

    /// Keeps an existing pair.
    void makeIfMissing() throws TlsFailure {
        if (isThere()) {
            return;
        }
        try {
            KeyPair pair = keyPair();
            X509CertificateHolder made = sign(pair, Instant.now());
            Files.createDirectories(directory);
            WholeFiles.write(key(), pem("PRIVATE KEY", pair.getPrivate().getEncoded()), "rw-------");
            WholeFiles.write(certificate(), pem("CERTIFICATE", made.getEncoded()), "rw-r--r--");
            log.info("event=certificate-created file={} hostname={} until={}", certificate(), hostname,
                    made.getNotAfter().toInstant());
        } catch (IOException e) {
            throw new TlsFailure("The self-signed certificate cannot be written to " + directory + " (" + e
                    + "): give this user the right to, or set tls.certificate and tls.key.", e);
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new TlsFailure("This Java cannot make a self-signed certificate: " + e.getMessage() + ".", e);
        }
    }

    private static KeyPair keyPair() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    private X509CertificateHolder sign(KeyPair pair, Instant now) throws IOException, OperatorCreationException {
        X500Name name = new X500NameBuilder(BCStyle.INSTANCE)
                .addRDN(BCStyle.CN, hostname.length() <= LONGEST_COMMON_NAME ? hostname : "Slipstream MTA").build();
        BigInteger serial = new BigInteger(126, new SecureRandom()).add(BigInteger.ONE);
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(name, serial,
                Date.from(now.minus(CLOCKS_DIFFER)), Date.from(now.plus(LIFETIME)), name, pair.getPublic());
        builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(alternativeName()));
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
        builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
        builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
        return builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate()));
    }

    // A server may be named by its address in brackets (RFC 5321 section 4.1.3).
    private GeneralName alternativeName() {
        if (!hostname.startsWith("[")) {
            return new GeneralName(GeneralName.dNSName, hostname);
        }
        String inside = hostname.substring(1, hostname.length() - 1);
        return new GeneralName(GeneralName.iPAddress,
                inside.regionMatches(true, 0, "IPv6:", 0, 5) ? inside.substring(5) : inside);
    }

    private static byte[] pem(String kind, byte[] encoded) {
        String base64 = Base64.getMimeEncoder(64, new byte[]{'\n'}).encodeToString(encoded);
        return ("-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n")
                .getBytes(StandardCharsets.US_ASCII);
    }
}
