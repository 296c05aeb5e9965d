package org.slipstream.smtpin.auth;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The SASL mechanisms for the users of [UserSecrets], in the order of announcement, strongest
/// first. Thread-safe.
public final class Mechanisms implements LoginService {
    private static final String PLUS = "SCRAM-SHA-256-PLUS";
    private static final String SCRAM = "SCRAM-SHA-256";
    private static final int NONCE_BYTES = 18;

    private final Optional<UserSecrets> credentials;
    private final SecureRandom random = new SecureRandom();
    private final byte[] secret = new byte[32];

    public Mechanisms(Optional<UserSecrets> credentials) {
        this.credentials = credentials;
        random.nextBytes(secret);
    }

    @Override
    public List<String> names(boolean inTls) {
        if (credentials.isEmpty()) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        if (credentials.get().hasScramKeys()) {
            if (inTls) {
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
            case PLUS -> Optional.of(scram(users, true, bindings));
            case SCRAM -> Optional.of(scram(users, false, bindings));
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
