package org.slipstream.core.sasl;

import java.util.Arrays;

/// The data that a server keeps of a password for SCRAM-SHA-256 (RFC 5802 section 3, RFC 7677):
/// enough to recognize a client that has the password, not enough to log in with.
///
/// @param salt random, per user
/// @param iterations of PBKDF2, at least [ScramHash#LEAST_ITERATIONS]
/// @param storedKey H(HMAC(SaltedPassword, "Client Key"))
/// @param serverKey HMAC(SaltedPassword, "Server Key")
public record ScramKeys(byte[] salt, int iterations, byte[] storedKey, byte[] serverKey) {
    private static final ScramHash HASH = ScramHash.SHA_256;
    private static final int SALT_BYTES = 16;

    /// @param password prepared, see [OpaqueString]
    public static ScramKeys derive(String password, byte[] salt, int iterations) {
        byte[] salted = HASH.saltedPassword(password, salt, iterations);
        return new ScramKeys(salt.clone(), iterations, HASH.storedKey(HASH.clientKey(salted)), HASH.serverKey(salted));
    }

    /// Keys for a user who does not exist, which no password fits. A client that asks again gets
    /// the same salt again, so the salt does not tell that there is no such user.
    ///
    /// @param secret of this process
    public static ScramKeys ofNobody(byte[] secret, String name, int iterations) {
        byte[] salt = Arrays.copyOf(HASH.sign(secret, name), SALT_BYTES);
        // No client key has this hash.
        byte[] stored = HASH.sign(secret, salt);
        return new ScramKeys(salt, iterations, stored, HASH.sign(secret, stored));
    }

    /// True when the proof was made with the password of these keys.
    public boolean isProof(byte[] proof, String authMessage) {
        return HASH.isProof(proof, storedKey, authMessage);
    }

    /// The proof of the server.
    public byte[] serverSignature(String authMessage) {
        return HASH.sign(serverKey, authMessage);
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

    /// Without the keys, which must not stand in a log.
    @Override
    public String toString() {
        return "ScramKeys[iterations=" + iterations + "]";
    }
}
