package org.slipstream.smtpin.auth;

import java.io.IOException;

/// One exchange of a SASL mechanism (RFC 4422), the server's side: responses in, challenges out, until it is settled. Used once, by
/// one session.
public sealed interface Mechanism permits Plain, Login, ScramServer {
    /// @param response what the client sent, decoded from base64
    /// @throws IOException local trouble behind [UserSecrets]
    Turn respond(byte[] response) throws IOException;

    /// What the client is asked when it sent no initial response.
    byte[] opening();

    sealed interface Turn {
        record Challenge(byte[] bytes) implements Turn {}

        /// @param user whose password the client knows
        record Proven(String user) implements Turn {}

        /// @param user whom the client claims to be, empty text when that was unreadable
        /// @param why for the log; the client hears no more than that it failed
        record Failed(String user, String why) implements Turn {}
    }
}
