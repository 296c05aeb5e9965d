package org.slipstream.smtpout.auth;

import java.util.Objects;

/// Who we are to another server. The text of this record keeps the password to itself, because records end up in logs.
public record Credentials(String user, String password) {
    public Credentials {
        Objects.requireNonNull(user);
        Objects.requireNonNull(password);
        if (user.isEmpty() || password.isEmpty()) {
            throw new IllegalArgumentException("credentials have a user and a password");
        }
        if ((user + password).chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("control character in credentials of " + user);
        }
    }

    @Override
    public String toString() {
        return "Credentials[" + user + "]";
    }
}
