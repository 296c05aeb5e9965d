package org.slipstream.guard.login;

import org.slipstream.core.sasl.ScramHash;
import org.slipstream.core.sasl.ScramKeys;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The keys of SCRAM-SHA-256 in the form of RFC 5803:
/// `SCRAM-SHA-256$iterations:salt$stored:server`.
///
/// They are cheaper to guess from than the Argon2id hash, because PBKDF2 needs no memory. Each
/// login repeats the iterations on the client, which may be a telephone, so their number cannot be
/// much higher.
final class ScramText {
    static final int ITERATIONS = 100_000;
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SALT_BYTES = 16;
    private static final int KEY_BYTES = 32;
    private static final String BASE64 = "([A-Za-z0-9+/]+={0,2})";
    private static final Pattern FORM = Pattern
            .compile("SCRAM-SHA-256\\$([0-9]{1,8}):" + BASE64 + "\\$" + BASE64 + ":" + BASE64);

    private ScramText() {}

    /// @param password prepared
    static ScramKeys derive(String password) {
        byte[] salt = new byte[SALT_BYTES];
        RANDOM.nextBytes(salt);
        return ScramKeys.derive(password, salt, ITERATIONS);
    }

    static String of(ScramKeys keys) {
        Base64.Encoder base64 = Base64.getEncoder();
        return "SCRAM-SHA-256$" + keys.iterations() + ":" + base64.encodeToString(keys.salt()) + "$"
                + base64.encodeToString(keys.storedKey()) + ":" + base64.encodeToString(keys.serverKey());
    }

    static Optional<ScramKeys> parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches() || Integer.parseInt(form.group(1)) < ScramHash.LEAST_ITERATIONS) {
            return Optional.empty();
        }
        try {
            Base64.Decoder base64 = Base64.getDecoder();
            byte[] stored = base64.decode(form.group(3));
            byte[] server = base64.decode(form.group(4));
            return stored.length == KEY_BYTES && server.length == KEY_BYTES
                    ? Optional.of(new ScramKeys(base64.decode(form.group(2)), Integer.parseInt(form.group(1)), stored,
                            server))
                    : Optional.empty();
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }
}
