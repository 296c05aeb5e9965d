package org.slipstream.smtpin.auth;

import java.security.GeneralSecurityException;
import java.util.Arrays;

import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/// What a server keeps of a password for SCRAM-SHA-256 (RFC 5802 section 3, RFC 7677): enough to recognize who knows the
/// password, not enough to log in with.
///
/// @param salt random, per user
/// @param iterations of PBKDF2, at least 4096 (RFC 7677 section 4)
/// @param storedKey H(HMAC(SaltedPassword, "Client Key"))
/// @param serverKey HMAC(SaltedPassword, "Server Key")
public record ScramKeys(byte[] salt, int iterations, byte[] storedKey, byte[] serverKey) {
    public static ScramKeys derive(String password, byte[] salt, int iterations) {
        try {
            SecretKeyFactory pbkdf2 = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256");
            byte[] salted = pbkdf2.generateSecret(
                    new PBEKeySpec(Prepared.text(password).toCharArray(), salt, iterations, 256)).getEncoded();
            byte[] clientKey = hmac(salted, "Client Key".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            byte[] serverKey = hmac(salted, "Server Key".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            return new ScramKeys(salt.clone(), iterations, sha256(clientKey), serverKey);
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has PBKDF2 with SHA-256", e);
        }
    }

    static byte[] hmac(byte[] key, byte[] text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text);
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has HMAC-SHA-256", e);
        }
    }

    static byte[] sha256(byte[] text) {
        try {
            return java.security.MessageDigest.getInstance("SHA-256").digest(text);
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has SHA-256", e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ScramKeys keys && iterations == keys.iterations && Arrays.equals(salt, keys.salt)
                && Arrays.equals(storedKey, keys.storedKey) && Arrays.equals(serverKey, keys.serverKey);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(storedKey);
    }

    /// Without the keys, which are nothing for a log.
    @Override
    public String toString() {
        return "ScramKeys[iterations=" + iterations + "]";
    }
}
