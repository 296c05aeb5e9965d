package org.slipstream.smtpin.auth;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The SASL mechanisms for the users of [UserSecrets], in the order of announcement, strongest
/// first. Thread-safe.
///
/// **PLUS is announced only where an operator wants it.** Some clients choose it by its name and find
/// out too late that they cannot bind: mutt 2.2 with GNU SASL sends `AUTH SCRAM-SHA-256-PLUS`,
/// cancels, and tries nothing else. Nothing that such a client sends before shows it.
public final class Mechanisms implements LoginService {
    private static final String PLUS = "SCRAM-SHA-256-PLUS";
    private static final String SCRAM = "SCRAM-SHA-256";
    private static final int NONCE_BYTES = 18;

    private final Optional<UserSecrets> credentials;
    private final boolean binds;
    private final SecureRandom random = new SecureRandom();
    private final byte[] secret = new byte[32];

    /// @param binds whether PLUS is served
    public Mechanisms(Optional<UserSecrets> credentials, boolean binds) {
        this.credentials = credentials;
        this.binds = binds;
        random.nextBytes(secret);
    }

    @Override
    public List<String> names(boolean inTls) {
        if (credentials.isEmpty()) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        if (credentials.get().hasScramKeys()) {
            if (binds && inTls) {
                names.add(PLUS);
            }
            names.add(SCRAM);
        }
        names.add("PLAIN");
        names.add("LOGIN");
        return names;
    }

    @Override
    public Optional<Mechanism> begin(String name, LoginClient client) {
        return begin(name, client.bindings());
    }

    /// @param bindings the channel binding values by name, empty without TLS
    public Optional<Mechanism> begin(String name, Map<String, byte[]> bindings) {
        return credentials.flatMap(users -> switch (name) {
            case PLUS -> binds ? Optional.of(scram(users, true, bindings)) : Optional.empty();
            // RFC 5802 section 6: a client that can bind says `y` where PLUS is not announced.
            case SCRAM -> Optional.of(scram(users, false, binds ? bindings : Map.of()));
            case "PLAIN" -> Optional.of(new Plain(users));
            case "LOGIN" -> Optional.of(new Login(users));
            default -> Optional.empty();
        });
    }

    private Mechanism scram(UserSecrets users, boolean plus, Map<String, byte[]> bindings) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        return new ScramServer(users, plus, bindings, secret, Base64.getEncoder().encodeToString(nonce));
    }
}
