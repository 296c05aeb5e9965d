package org.slipstream.smtpin.auth;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// PLAIN (RFC 4616 section 2): `message = [authzid] NUL authcid NUL passwd`, in UTF-8.
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
        // Nobody acts for somebody else here.
        boolean himself = parts[0].isEmpty() || Prepared.text(parts[0]).equals(Prepared.text(parts[1]));
        return verdict(credentials, parts[1], parts[2], himself);
    }

    static Turn verdict(UserSecrets credentials, String user, String password, boolean himself) throws IOException {
        String name = Prepared.text(user);
        // The password is looked at in any case, so that time does not tell which of the two was wrong.
        boolean right = credentials.verify(name, Prepared.text(password));
        return right && himself
                ? new Turn.Proven(name)
                : new Turn.Failed(name, right ? "acts for somebody else" : "wrong user or password");
    }
}
