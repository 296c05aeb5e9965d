package org.slipstream.auth.dkim;

import org.bouncycastle.crypto.params.Ed25519PublicKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;
import org.slipstream.core.text.TagList;

import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.SignatureException;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// The public key of a selector, from its record (RFC 6376 section 3.6.1, RFC 8463). The tag `g` of the
/// first DKIM is ignored, as RFC 6376 wants.
///
/// A stranger chooses the key, so its size and its exponent are checked before it is used.
///
/// @param bits of the modulus; 256 of Ed25519
/// @param hashes the tag `h`; empty: all are good
/// @param services the tag `s`
/// @param testing the domain only tries DKIM (`t=y`)
/// @param strict `i=` must have the domain itself, not one below it (`t=s`)
public record DkimKey(DkimAlgorithm algorithm, int bits, SignatureCheck check, List<String> hashes,
        List<String> services,
        boolean testing, boolean strict) {
    private static final int LEAST_BITS = 1024;
    private static final int GOOD_BITS = 2048;
    private static final int MOST_BITS = 8192;
    /// The costs grow with the exponent; all keys in use have 65,537 or 3.
    private static final int MOST_EXPONENT_BITS = 64;
    private static final int MOST_OCTETS = MOST_BITS / Byte.SIZE + 64;
    private static final int ED25519_BYTES = 32;
    private static final int ED25519_BITS = 256;
    /// The algorithm identifier rsaEncryption of a SubjectPublicKeyInfo.
    private static final byte[] RSA_IDENTIFIER = HexFormat.of().parseHex("300d06092a864886f70d0101010500");

    /// True when the signature of these octets is the key's.
    @FunctionalInterface
    public interface SignatureCheck {
        boolean verifies(byte[] signed, byte[] signature);
    }

    /// The result of [#read].
    public sealed interface KeyReading {
        record Usable(DkimKey key) implements KeyReading {}

        record Unusable(String reason) implements KeyReading {}
    }

    /// @param record the text of a record, its strings joined
    public static KeyReading read(String record) {
        Optional<TagList> list = TagList.parse(record);
        if (list.isEmpty() || list.get().get("v").isPresent() && !list.get().isVersion("DKIM1")) {
            return new KeyReading.Unusable("the record is not a list \"v=DKIM1; k=rsa; p=…\" of tags");
        }
        Optional<String> key = list.get().unfolded("p");
        if (key.isEmpty()) {
            return new KeyReading.Unusable("the tag \"p\" is missing");
        }
        if (key.get().isEmpty()) {
            return new KeyReading.Unusable("the key is revoked: \"p=\" is empty");
        }
        String kind = list.get().get("k").orElse("rsa");
        try {
            byte[] bytes = Base64.getDecoder().decode(key.get());
            return DkimAlgorithm.ofKeyWord(kind).map(algorithm -> switch (algorithm) {
                case RSA -> rsa(bytes, list.get());
                case ED25519 -> ed25519(bytes, list.get());
            }).orElseGet(() -> new KeyReading.Unusable(DkimSignature.isWord(kind)
                    ? "the kind of key \"k=" + kind + "\" is unknown"
                    : "the kind of key is unknown"));
        } catch (IllegalArgumentException noBase64) {
            return new KeyReading.Unusable("the value of \"p\" is not base64");
        }
    }

    private static KeyReading rsa(byte[] bytes, TagList tags) {
        try {
            if (bytes.length > MOST_OCTETS) {
                return new KeyReading.Unusable("RSA, more than " + MOST_BITS + " bits");
            }
            RSAPublicKey key = (RSAPublicKey) KeyFactory.getInstance("RSA")
                    .generatePublic(new X509EncodedKeySpec(isBare(bytes) ? wrapped(bytes) : bytes));
            int bits = key.getModulus().bitLength();
            if (bits < LEAST_BITS) {
                return new KeyReading.Unusable(
                        "RSA, " + bits + " bits; verifiers ignore keys below " + LEAST_BITS + " (RFC 8301)");
            }
            if (bits > MOST_BITS || key.getPublicExponent().bitLength() > MOST_EXPONENT_BITS) {
                return new KeyReading.Unusable("RSA, more than " + MOST_BITS + " bits, or a large exponent");
            }
            return usable(DkimAlgorithm.RSA, bits, (signed, signature) -> verifies(key, signed, signature), tags);
        } catch (GeneralSecurityException noKey) {
            return new KeyReading.Unusable("the value of \"p\" is not an RSA key");
        }
    }

    private static boolean verifies(RSAPublicKey key, byte[] signed, byte[] signature) {
        try {
            Signature rsa = Signature.getInstance("SHA256withRSA");
            rsa.initVerify(key);
            rsa.update(signed);
            return rsa.verify(signature);
        } catch (SignatureException ofOtherLength) {
            return false;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("each Java has SHA256withRSA", e);
        }
    }

    private static KeyReading ed25519(byte[] bytes, TagList tags) {
        if (bytes.length != ED25519_BYTES) {
            return new KeyReading.Unusable("an Ed25519 key has 32 octets, and this one " + bytes.length);
        }
        try {
            Ed25519PublicKeyParameters key = new Ed25519PublicKeyParameters(bytes);
            return usable(DkimAlgorithm.ED25519, ED25519_BITS, (signed, signature) -> {
                byte[] digest = BodyHash.sha256().digest(signed);
                Ed25519Signer ed25519 = new Ed25519Signer();
                ed25519.init(false, key);
                ed25519.update(digest, 0, digest.length);
                return ed25519.verifySignature(signature);
            }, tags);
        } catch (IllegalArgumentException noPoint) {
            return new KeyReading.Unusable("the value of \"p\" is not an Ed25519 key");
        }
    }

    private static KeyReading usable(DkimAlgorithm algorithm, int bits, SignatureCheck check, TagList tags) {
        List<String> flags = words(tags, "t", "");
        return new KeyReading.Usable(new DkimKey(algorithm, bits, check, words(tags, "h", ""), words(tags, "s", "*"),
                flags.contains("y"), flags.contains("s")));
    }

    private static List<String> words(TagList tags, String tag, String otherwise) {
        return Arrays.stream(tags.get(tag).orElse(otherwise).split(":")).map(TagList::withoutBlanks)
                .filter(word -> !word.isEmpty()).toList();
    }

    /// RFC 6376 names the form of PKCS#1, the examples and nearly all keys have SubjectPublicKeyInfo:
    /// the first of the two begins with a number, the other with a sequence.
    private static boolean isBare(byte[] der) {
        int header = der.length < 2 ? 0 : der[1] >= 0 ? 2 : 2 + (der[1] & 0x7f);
        return header > 0 && header < der.length && der[0] == 0x30 && der[header] == 0x02;
    }

    private static byte[] wrapped(byte[] pkcs1) {
        byte[] bits = new byte[pkcs1.length + 1];
        System.arraycopy(pkcs1, 0, bits, 1, pkcs1.length);
        ByteArrayOutputStream parts = new ByteArrayOutputStream();
        parts.writeBytes(RSA_IDENTIFIER);
        parts.writeBytes(element(0x03, bits));
        return element(0x30, parts.toByteArray());
    }

    // All lengths that are used here fit into two octets.
    private static byte[] element(int tag, byte[] content) {
        ByteArrayOutputStream der = new ByteArrayOutputStream();
        der.write(tag);
        der.write(0x82);
        der.write(content.length >> Byte.SIZE);
        der.write(content.length);
        der.writeBytes(content);
        return der.toByteArray();
    }

    /// For operators: `RSA, 2048 bits`, `Ed25519`.
    public String text() {
        return algorithm == DkimAlgorithm.RSA ? "RSA, " + bits + " bits" : "Ed25519";
    }

    /// Verifiers accept it today.
    public boolean isWeak() {
        return algorithm == DkimAlgorithm.RSA && bits < GOOD_BITS;
    }

    /// The reason why a signature cannot use this key; empty when it can.
    ///
    /// @param identityDomain of the tag `i`
    Optional<String> refusal(DkimAlgorithm signature, KeyName name, String identityDomain) {
        return signature != algorithm
                ? Optional.of("the key is not of the algorithm " + signature.word())
                : !hashes.isEmpty() && !hashes.contains("sha256")
                        ? Optional.of("the key is not for SHA-256")
                        : !services.contains("*") && !services.contains("email")
                                ? Optional.of("the key is not for mail")
                                : strict && !identityDomain.equals(name.domain())
                                        ? Optional.of("the key is not for domains below its own")
                                        : Optional.empty();
    }
}
