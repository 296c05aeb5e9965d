package org.slipstream.auth.dkim;

import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.edec.EdECObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;
import org.bouncycastle.crypto.util.PrivateKeyFactory;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.Base64;

/// A private key with its name. May be used by many threads.
///
/// RSA is computed by the JDK, Ed25519 by Bouncy Castle, which takes a seventh of the JDK's time.
public final class SigningKey {
    private static final int NEW_BITS = 2048;
    private static final int LEAST_BITS = 1024;
    private static final int MOST_BITS = 8192;
    private static final int PEM_COLUMNS = 64;
    private static final String LABEL = "PRIVATE KEY-----\n";
    private static final SecureRandom RANDOM = new SecureRandom();

    /// Signs octets.
    @FunctionalInterface
    private interface Hand {
        byte[] sign(byte[] octets);
    }

    private final KeyName name;
    private final DkimAlgorithm algorithm;
    private final byte[] pkcs8;
    private final byte[] published;
    private final Hand hand;

    private SigningKey(KeyName name, DkimAlgorithm algorithm, byte[] pkcs8, byte[] published, Hand hand) {
        this.name = name;
        this.algorithm = algorithm;
        this.pkcs8 = pkcs8;
        this.published = published;
        this.hand = hand;
    }

    /// A new key; RSA with 2048 bits.
    public static SigningKey create(KeyName name, DkimAlgorithm algorithm) {
        try {
            return switch (algorithm) {
                case ED25519 -> ed25519(name, new Ed25519PrivateKeyParameters(RANDOM));
                case RSA -> {
                    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
                    generator.initialize(NEW_BITS, RANDOM);
                    yield rsa(name, generator.generateKeyPair().getPrivate());
                }
            };
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("each Java makes RSA keys", e);
        }
    }

    /// A key in PEM form, PKCS#8 or PKCS#1 (`RSA PRIVATE KEY`), without a passphrase: as written by
    /// [#pem], `openssl`, `opendkim-genkey` and `rspamadm`.
    ///
    /// @throws IOException with the reason in words, when it is no key that signs
    public static SigningKey read(KeyName name, String pem) throws IOException {
        try (PEMParser parser = new PEMParser(new StringReader(pem))) {
            Object block = parser.readObject();
            PrivateKeyInfo info = block instanceof PEMKeyPair pair
                    ? pair.getPrivateKeyInfo()
                    : block instanceof PrivateKeyInfo own ? own : null;
            if (info == null) {
                throw new IOException("there is no \"BEGIN PRIVATE KEY\" without a passphrase in it");
            }
            return info.getPrivateKeyAlgorithm().getAlgorithm().equals(EdECObjectIdentifiers.id_Ed25519)
                    ? ed25519(name, (Ed25519PrivateKeyParameters) PrivateKeyFactory.createKey(info))
                    : rsa(name,
                            KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(info.getEncoded())));
        } catch (GeneralSecurityException | RuntimeException e) {
            // The parser throws these for broken base64 and broken ASN.1.
            throw new IOException("it is neither an RSA nor an Ed25519 key: " + e.getMessage(), e);
        }
    }

    private static SigningKey ed25519(KeyName name, Ed25519PrivateKeyParameters key) throws IOException {
        // Without the public key inside, which openssl 3 does not read.
        byte[] pkcs8 = new PrivateKeyInfo(new AlgorithmIdentifier(EdECObjectIdentifiers.id_Ed25519),
                new DEROctetString(key.getEncoded())).getEncoded();
        return new SigningKey(name, DkimAlgorithm.ED25519, pkcs8, key.generatePublicKey().getEncoded(), octets -> {
            byte[] digest = BodyHash.sha256().digest(octets);
            Ed25519Signer signer = new Ed25519Signer();
            signer.init(true, key);
            signer.update(digest, 0, digest.length);
            return signer.generateSignature();
        });
    }

    private static SigningKey rsa(KeyName name, PrivateKey any) throws GeneralSecurityException, IOException {
        if (!(any instanceof RSAPrivateCrtKey key) || key.getModulus().bitLength() < LEAST_BITS
                || key.getModulus().bitLength() > MOST_BITS) {
            throw new IOException("an RSA key for DKIM has " + LEAST_BITS + " to " + MOST_BITS + " bits (RFC 8301)");
        }
        byte[] published = KeyFactory.getInstance("RSA")
                .generatePublic(new RSAPublicKeySpec(key.getModulus(), key.getPublicExponent())).getEncoded();
        return new SigningKey(name, DkimAlgorithm.RSA, key.getEncoded(), published, octets -> {
            try {
                Signature rsa = Signature.getInstance("SHA256withRSA");
                rsa.initSign(key);
                rsa.update(octets);
                return rsa.sign();
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("a key of " + key.getModulus().bitLength() + " bits signs", e);
            }
        });
    }

    public KeyName name() {
        return name;
    }

    public DkimAlgorithm algorithm() {
        return algorithm;
    }

    byte[] sign(byte[] octets) {
        return hand.sign(octets);
    }

    /// PKCS#8 as `openssl` writes it.
    public String pem() {
        return "-----BEGIN " + LABEL + Base64.getMimeEncoder(PEM_COLUMNS, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(pkcs8) + "\n-----END " + LABEL;
    }

    /// The text of the TXT record at [KeyName#dns].
    public String record() {
        return "v=DKIM1; k=" + algorithm.keyWord() + "; p=" + Base64.getEncoder().encodeToString(published);
    }

    /// True when verifiers that find this record accept the signatures of this key.
    public boolean isPublishedAs(DkimKey record) {
        byte[] any = pem().getBytes(StandardCharsets.US_ASCII);
        return record.refusal(algorithm, name, name.domain()).isEmpty() && record.check().verifies(any, sign(any));
    }

    /// Without the key.
    @Override
    public String toString() {
        return algorithm.word() + " " + name.dns();
    }
}
