package org.slipstream.testkit;

import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.slipstream.sink.server.SinkCertificates;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// A certificate authority that signs certificates of servers. A trust store takes a self-signed
/// certificate as it is, so only a signed one shows that dates and names are checked.
public final class TestAuthority {
    private static final char[] NO_PASSWORD = {};

    private final X500Name name;
    private final KeyPair pair;
    private final X509Certificate certificate;

    public TestAuthority(String name) {
        this.name = new X500Name("CN=" + name);
        this.pair = pair();
        this.certificate = signed(this.name, pair, Duration.ofDays(-20), Duration.ofDays(20), "");
    }

    public X509Certificate certificate() {
        return certificate;
    }

    /// Knows this authority and no other.
    public KeyStore trust() {
        try {
            KeyStore known = KeyStore.getInstance("PKCS12");
            known.load(null, null);
            known.setCertificateEntry("ca", certificate);
            return known;
        } catch (IOException | GeneralSecurityException e) {
            throw new LinkageError("every JDK has PKCS12", e);
        }
    }

    /// Serves a valid certificate for a name, and trusts this authority.
    public SSLContext serving(String host) {
        return serving(host, Duration.ofDays(-1), Duration.ofDays(2));
    }

    /// Serves a certificate with these dates, relative to now, and trusts this authority.
    public SSLContext serving(String host, Duration from, Duration until) {
        try {
            KeyPair own = pair();
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(null, null);
            keys.setKeyEntry(host, own.getPrivate(), NO_PASSWORD,
                    new X509Certificate[]{signed(new X500Name("CN=" + host), own, from, until, host), certificate});
            TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(trust());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(SinkCertificates.served(keys).getKeyManagers(), trusted.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new LinkageError("every JDK has TLS", e);
        }
    }

    private static KeyPair pair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(256);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has EC", e);
        }
    }

    /// @param host empty for an authority
    private X509Certificate signed(X500Name subject, KeyPair of, Duration from, Duration until, String host) {
        try {
            Instant now = Instant.now();
            JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(name,
                    new BigInteger(126, new SecureRandom()).add(BigInteger.ONE), Date.from(now.plus(from)),
                    Date.from(now.plus(until)), subject, of.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(host.isEmpty()));
            if (!host.isEmpty()) {
                builder.addExtension(Extension.subjectAlternativeName, false,
                        new GeneralNames(new GeneralName(GeneralName.dNSName, host)));
            }
            return new JcaX509CertificateConverter().getCertificate(
                    builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate())));
        } catch (IOException | OperatorCreationException | GeneralSecurityException e) {
            throw new LinkageError("every JDK signs with ECDSA", e);
        }
    }
}
