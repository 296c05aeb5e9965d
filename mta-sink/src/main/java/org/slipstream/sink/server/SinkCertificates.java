package org.slipstream.sink.server;

import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Date;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// Self-signed certificates, valid and expired, as an operator without a certificate authority makes
/// them.
public final class SinkCertificates {
    private static final char[] NO_PASSWORD = {};

    private SinkCertificates() {}

    /// A key store with a pair for each name, which is valid for 127.0.0.1, too.
    public static KeyStore keys(Instant from, Instant until, String... names) {
        try {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(null, null);
            for (String name : names) {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
                generator.initialize(new ECGenParameterSpec("secp256r1"));
                KeyPair pair = generator.generateKeyPair();
                keys.setKeyEntry(name, pair.getPrivate(), NO_PASSWORD,
                        new X509Certificate[]{certificate(name, pair, from, until)});
            }
            return keys;
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw new LinkageError("every JDK has EC and PKCS12", e);
        }
    }

    /// A pair whose certificate names neither the server nor its address.
    static KeyStore wrongName(Instant from, Instant until) {
        return keys(from, until, "other.invalid");
    }

    private static X509Certificate certificate(String name, KeyPair pair, Instant from, Instant until)
            throws IOException, OperatorCreationException, GeneralSecurityException {
        X500Name subject = new X500Name("CN=" + name);
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(subject,
                new BigInteger(126, new SecureRandom()).add(BigInteger.ONE), Date.from(from), Date.from(until),
                subject, pair.getPublic());
        GeneralName dns = new GeneralName(GeneralName.dNSName, name);
        builder.addExtension(Extension.subjectAlternativeName, false,
                new GeneralNames(name.endsWith(".invalid")
                        ? new GeneralName[]{dns}
                        : new GeneralName[]{dns, new GeneralName(GeneralName.iPAddress, "127.0.0.1")}));
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate())));
    }

    /// A context of a server, in which the certificate is chosen by the name that the client asks
    /// for.
    public static KeyManagerFactory served(KeyStore keys) throws GeneralSecurityException {
        KeyManagerFactory served = KeyManagerFactory.getInstance("NewSunX509");
        served.init(keys, NO_PASSWORD);
        return served;
    }

    static SSLContext context(KeyStore keys) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(served(keys).getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has TLS", e);
        }
    }
}
