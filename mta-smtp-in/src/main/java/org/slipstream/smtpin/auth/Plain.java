package org.slipstream.smtpin.auth;

import org.slipstream.core.sasl.OpaqueString;
import org.slipstream.core.sasl.SaslPrep;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// The server's side of PLAIN (RFC 4616 section 2): `message = [authzid] NUL authcid NUL passwd`,
/// in UTF-8. The server prepares both strings.
final class Plain implements Mechanism {
    private final UserSecrets credentials;

    Plain(UserSecrets credentials) {
        this.credentials = credentials;
    }

    @Override
    public byte[] opening() {
        return new byte[0];
    }

    @Override
    public Turn respond(byte[] response) throws IOException {
        String[] parts = new String(response, StandardCharsets.UTF_8).split("\0", -1);
        if (parts.length != 3 || parts[1].isEmpty() || parts[2].isEmpty()) {
            return new Turn.Failed("", "malformed PLAIN message");
        }
        // A user may not act for another one.
        boolean sameUser = parts[0].isEmpty() || SaslPrep.text(parts[0]).equals(SaslPrep.text(parts[1]));
        return verdict(credentials, parts[1], parts[2], sameUser);
    }

    static Turn verdict(UserSecrets credentials, String user, String password, boolean sameUser) throws IOException {
        String name = SaslPrep.text(user);
        // The password is verified in any case, so that the time does not tell which of the two was
        // wrong.
        boolean right = fits(credentials, name, password);
        return right && sameUser
                ? new Turn.Proven(name)
                : new Turn.Failed(name, right ? "acts for another user" : "wrong user or password");
    }

    private static boolean fits(UserSecrets credentials, String name, String password) throws IOException {
        for (String form : OpaqueString.forms(password)) {
            if (credentials.verify(name, form)) {
                return true;
            }
        }
        return false;
    }
}
