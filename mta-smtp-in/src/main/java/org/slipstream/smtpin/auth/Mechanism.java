package org.slipstream.smtpin.auth;

import java.io.IOException;

/// The server's side of one SASL exchange (RFC 4422): responses in, challenges out, up to success
/// or failure. Used once, by one session.
public sealed interface Mechanism permits Plain, Login, ScramServer {
    /// @param response of the client, decoded from base64
    /// @throws IOException local trouble behind [UserSecrets]
    Turn respond(byte[] response) throws IOException;

    /// The first challenge, for a client without an initial response.
    byte[] opening();

    sealed interface Turn {
        record Challenge(byte[] bytes) implements Turn {}

        /// @param user the authenticated user
        record Proven(String user) implements Turn {}

        /// @param user that the client named, empty when unreadable
        /// @param why for the log; the reply does not contain it
        record Failed(String user, String why) implements Turn {}
    }
}
