package org.slipstream.smtpin.auth;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// The server's side of LOGIN: two prompts, for the name and the password. No RFC standardizes it,
/// and some old clients know no other mechanism.
final class Login implements Mechanism {
    private final UserSecrets credentials;
    private Optional<String> user = Optional.empty();

    Login(UserSecrets credentials) {
        this.credentials = credentials;
    }

    @Override
    public byte[] opening() {
        return "Username:".getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public Turn respond(byte[] response) throws IOException {
        String text = new String(response, StandardCharsets.UTF_8);
        if (user.isEmpty()) {
            user = Optional.of(text);
            return new Turn.Challenge("Password:".getBytes(StandardCharsets.US_ASCII));
        }
        return Plain.verdict(credentials, user.get(), text, true);
    }
}
