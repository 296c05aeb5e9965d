package org.slipstream.guard.login;

import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The Argon2id hash of a password (RFC 9106) in the customary form
/// `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.
///
/// A guess costs 19 MiB of memory and some 50 ms, here and for a thief of the file. Hashes of other
/// programs with other parameters are accepted within bounds, so that a line of the file cannot
/// take all memory.
final class PasswordHash {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int MEMORY_KIB = 19_456;
    private static final int ITERATIONS = 2;
    private static final int LANES = 1;
    private static final int SALT_BYTES = 16;
    private static final int HASH_BYTES = 32;
    private static final int MOST_MEMORY_KIB = 65_536;
    private static final int MOST_ITERATIONS = 16;
    private static final int MOST_LANES = 8;
    private static final Pattern FORM = Pattern
            .compile("\\$argon2id\\$v=19\\$m=([0-9]{1,7}),t=([0-9]{1,3}),p=([0-9]{1,2})"
                    + "\\$([A-Za-z0-9+/]{11,86})\\$([A-Za-z0-9+/]{22,86})");

    private final int memoryKib;
    private final int iterations;
    private final int lanes;
    private final byte[] salt;
    private final byte[] hash;

    private PasswordHash(int memoryKib, int iterations, int lanes, byte[] salt, byte[] hash) {
        this.memoryKib = memoryKib;
        this.iterations = iterations;
        this.lanes = lanes;
        this.salt = salt;
        this.hash = hash;
    }

    static PasswordHash of(String password) {
        byte[] salt = new byte[SALT_BYTES];
        RANDOM.nextBytes(salt);
        PasswordHash form = new PasswordHash(MEMORY_KIB, ITERATIONS, LANES, salt, new byte[HASH_BYTES]);
        return new PasswordHash(MEMORY_KIB, ITERATIONS, LANES, salt, form.compute(password));
    }

    /// A hash that no password fits, for users who do not exist. Comparing takes as long as with
    /// any other.
    static PasswordHash ofNobody() {
        byte[] chance = new byte[HASH_BYTES];
        RANDOM.nextBytes(chance);
        return new PasswordHash(MEMORY_KIB, ITERATIONS, LANES, new byte[SALT_BYTES], chance);
    }

    /// Empty when the text is not an Argon2id hash within the bounds.
    static Optional<PasswordHash> parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        int memory = Integer.parseInt(form.group(1));
        int iterations = Integer.parseInt(form.group(2));
        int lanes = Integer.parseInt(form.group(3));
        boolean fits = lanes >= 1 && lanes <= MOST_LANES && iterations >= 1 && iterations <= MOST_ITERATIONS
                && memory >= 8 * lanes && memory <= MOST_MEMORY_KIB;
        try {
            return fits
                    ? Optional.of(new PasswordHash(memory, iterations, lanes,
                            Base64.getDecoder().decode(form.group(4)), Base64.getDecoder().decode(form.group(5))))
                    : Optional.empty();
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }

    /// @param password prepared
    boolean fits(String password) {
        return MessageDigest.isEqual(hash, compute(password));
    }

    private byte[] compute(String password) {
        Argon2BytesGenerator generator = new Argon2BytesGenerator();
        generator.init(new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                .withVersion(Argon2Parameters.ARGON2_VERSION_13).withMemoryAsKB(memoryKib).withIterations(iterations)
                .withParallelism(lanes).withSalt(salt).build());
        byte[] computed = new byte[hash.length];
        generator.generateBytes(password.getBytes(StandardCharsets.UTF_8), computed);
        return computed;
    }

    /// As the file has it.
    String text() {
        Base64.Encoder base64 = Base64.getEncoder().withoutPadding();
        return "$argon2id$v=19$m=" + memoryKib + ",t=" + iterations + ",p=" + lanes + "$" + base64.encodeToString(salt)
                + "$" + base64.encodeToString(hash);
    }
}
