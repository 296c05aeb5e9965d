package org.slipstream.guard.zone;

import org.slipstream.core.text.TagList;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Optional;

/// The public key of a selector (RFC 6376 section 3.6.1, RFC 8463). The text is what a reader wants
/// to know about it.
final class DkimKey {
    private static final int LEAST_BITS = 1024;
    private static final int GOOD_BITS = 2048;
    private static final int ED25519_BYTES = 32;

    private DkimKey() {}

    /// The result of [#read].
    sealed interface KeyReading {
        /// @param text `RSA, 2048 bits`
        record Usable(String text) implements KeyReading {}

        /// Verifiers accept it today.
        record Weak(String text) implements KeyReading {}

        record Unusable(String what) implements KeyReading {}
    }

    static KeyReading read(String record) {
        Optional<TagList> list = TagList.parse(record);
        if (list.isEmpty() || list.get().get("v").isPresent() && !list.get().isVersion("DKIM1")) {
            return new KeyReading.Unusable("the record is not a list \"v=DKIM1; k=rsa; p=…\" of tags");
        }
        Optional<String> key = list.get().get("p").map(text -> text.replaceAll("\\s", ""));
        if (key.isEmpty()) {
            return new KeyReading.Unusable("the tag \"p\" is missing");
        }
        if (key.get().isEmpty()) {
            return new KeyReading.Unusable("the key is revoked: \"p=\" is empty");
        }
        try {
            byte[] bytes = Base64.getDecoder().decode(key.get());
            return switch (list.get().get("k").orElse("rsa")) {
                case "rsa" -> rsa(bytes);
                case "ed25519" -> bytes.length == ED25519_BYTES
                        ? new KeyReading.Usable("Ed25519")
                        : new KeyReading.Unusable("an Ed25519 key has 32 octets, and this one " + bytes.length);
                default ->
                    new KeyReading.Unusable("the kind of key \"k=" + list.get().get("k").get() + "\" is unknown");
            };
        } catch (IllegalArgumentException noBase64) {
            return new KeyReading.Unusable("the value of \"p\" is not base64");
        }
    }

    private static KeyReading rsa(byte[] bytes) {
        try {
            RSAPublicKey key = (RSAPublicKey) KeyFactory.getInstance("RSA")
                    .generatePublic(new X509EncodedKeySpec(bytes));
            int bits = key.getModulus().bitLength();
            String text = "RSA, " + bits + " bits";
            return bits < LEAST_BITS
                    ? new KeyReading.Unusable(text + "; verifiers ignore keys below " + LEAST_BITS + " (RFC 8301)")
                    : bits < GOOD_BITS ? new KeyReading.Weak(text) : new KeyReading.Usable(text);
        } catch (GeneralSecurityException noKey) {
            return new KeyReading.Unusable("the value of \"p\" is not an RSA key");
        }
    }
}
