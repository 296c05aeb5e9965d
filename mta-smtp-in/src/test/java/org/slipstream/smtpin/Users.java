package org.slipstream.smtpin;

import org.slipstream.core.sasl.ScramKeys;
import org.slipstream.smtpin.auth.UserSecrets;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/// A users file in memory: `alice` with the password `secret`, `jürgen` with `pässwort`, and
/// `broken`, whose entry cannot be read.
final class Users implements UserSecrets {
    private static final Map<String, String> PASSWORDS = Map.of("alice", "secret", "j\u00fcrgen", "p\u00e4sswort");
    private static final Map<String, ScramKeys> KEYS = Map.of("alice", keys("secret"), "j\u00fcrgen",
            keys("p\u00e4sswort"));

    private static ScramKeys keys(String password) {
        return ScramKeys.derive(password, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII), 4096);
    }

    @Override
    public boolean verify(String user, String password) throws IOException {
        if (user.equals("broken")) {
            throw new IOException("users file unreadable");
        }
        return password.equals(PASSWORDS.get(user));
    }

    @Override
    public Optional<ScramKeys> scram(String user) {
        return Optional.ofNullable(KEYS.get(user));
    }

    @Override
    public boolean hasScramKeys() {
        return true;
    }
}
