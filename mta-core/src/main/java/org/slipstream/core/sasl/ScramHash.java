package org.slipstream.core.sasl;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;

import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/// The arithmetic of SCRAM (RFC 5802 section 3) with one hash function, the same for both sides.
///
/// ```
/// SaltedPassword  = PBKDF2(HMAC, prepared password, salt, iterations)
/// ClientKey       = HMAC(SaltedPassword, "Client Key")      StoredKey       = H(ClientKey)
/// ServerKey       = HMAC(SaltedPassword, "Server Key")
/// ClientSignature = HMAC(StoredKey, AuthMessage)            ClientProof     = ClientKey XOR ClientSignature
/// ServerSignature = HMAC(ServerKey, AuthMessage)
/// ```
///
/// `AuthMessage` is the first message of the client without its header, the first of the server,
/// and the last of the client without its proof, separated by commas. A server keeps StoredKey and
/// ServerKey: with ClientSignature it gets ClientKey back from the proof, and it compares the hash.
/// So it can check a client and answer it, but not log in anywhere.
public enum ScramHash {
    /// RFC 5802.
    SHA_1("SHA-1", "SHA1", 160),
    /// RFC 7677.
    SHA_256("SHA-256", "SHA256", 256);

    /// Fewer iterations make the password cheap to guess from what is sent or stored (RFC 7677
    /// section 4).
    public static final int LEAST_ITERATIONS = 4096;

    private final String digest;
    private final String hmac;
    private final int bits;

    ScramHash(String digest, String hmac, int bits) {
        this.digest = digest;
        this.hmac = hmac;
        this.bits = bits;
    }

    /// The name of the mechanism without channel binding.
    public String mechanism() {
        return "SCRAM-" + digest;
    }

    /// The costly part: milliseconds of one processor for ten thousand iterations.
    ///
    /// @param password prepared, see [OpaqueString]
    public byte[] saltedPassword(String password, byte[] salt, int iterations) {
        try {
            return SecretKeyFactory.getInstance("PBKDF2WithHmac" + hmac)
                    .generateSecret(new PBEKeySpec(password.toCharArray(), salt, iterations, bits)).getEncoded();
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    public byte[] clientKey(byte[] saltedPassword) {
        return sign(saltedPassword, "Client Key");
    }

    public byte[] storedKey(byte[] clientKey) {
        try {
            return MessageDigest.getInstance(digest).digest(clientKey);
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    public byte[] serverKey(byte[] saltedPassword) {
        return sign(saltedPassword, "Server Key");
    }

    /// The proof that a client sends to show that it has the key.
    public byte[] proof(byte[] clientKey, String authMessage) {
        return xor(clientKey, sign(storedKey(clientKey), authMessage));
    }

    /// True when the proof was made with the client key of this stored key. Takes the same time for
    /// each proof of the right length.
    public boolean isProof(byte[] proof, byte[] storedKey, String authMessage) {
        byte[] signature = sign(storedKey, authMessage);
        return proof.length == signature.length
                && MessageDigest.isEqual(storedKey(xor(proof, signature)), storedKey);
    }

    /// HMAC of the text in UTF-8.
    public byte[] sign(byte[] key, String text) {
        return sign(key, text.getBytes(StandardCharsets.UTF_8));
    }

    byte[] sign(byte[] key, byte[] text) {
        try {
            Mac mac = Mac.getInstance("Hmac" + hmac);
            mac.init(new SecretKeySpec(key, mac.getAlgorithm()));
            return mac.doFinal(text);
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    private static byte[] xor(byte[] a, byte[] b) {
        byte[] result = a.clone();
        for (int i = 0; i < result.length; i++) {
            result[i] ^= b[i];
        }
        return result;
    }

    private LinkageError missing(GeneralSecurityException cause) {
        return new LinkageError("every JDK has HMAC and PBKDF2 with " + digest, cause);
    }
}
