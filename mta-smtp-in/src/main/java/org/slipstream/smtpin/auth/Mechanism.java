package org.slipstream.smtpin.auth;

import java.io.IOException;

/// The server's side of one SASL exchange (RFC 4422): responses in, challenges out, up to success
/// or failure. Used once, by one session.
public interface Mechanism {
    /// @param response of the client, decoded from base64
    /// @throws IOException local trouble behind the [LoginService]
    Turn respond(byte[] response) throws IOException;

    /// True when [#respond] computes, and so runs on a thread of [PasswordThreads]. False when it
    /// waits for another program, which costs the session's virtual thread nothing.
    default boolean computes() {
        return true;
    }

    /// Ends an exchange that the client abandoned.
    default void cancel() {}

    /// The first challenge, for a client without an initial response.
    ///
    /// @throws IOException local trouble behind the [LoginService]
    byte[] opening() throws IOException;

    sealed interface Turn {
        record Challenge(byte[] bytes) implements Turn {}

        /// @param user the authenticated user
        record Proven(String user) implements Turn {}

        /// @param user that the client named, empty when unreadable
        /// @param why for the log; the reply does not contain it
        record Failed(String user, String why) implements Turn {}
    }
}
