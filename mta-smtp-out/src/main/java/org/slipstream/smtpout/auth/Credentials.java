package org.slipstream.smtpout.auth;

import org.slipstream.core.text.Controls;

import java.util.Objects;

/// The login at another server. `toString` leaves out the password, because records appear in logs.
public record Credentials(String user, String password) {
    public Credentials {
        Objects.requireNonNull(user);
        Objects.requireNonNull(password);
        if (user.isEmpty() || password.isEmpty()) {
            throw new IllegalArgumentException("credentials have a user and a password");
        }
        if (Controls.in(user + password)) {
            throw new IllegalArgumentException("control character in credentials of " + user);
        }
    }

    @Override
    public String toString() {
        return "Credentials[" + user + "]";
    }
}
