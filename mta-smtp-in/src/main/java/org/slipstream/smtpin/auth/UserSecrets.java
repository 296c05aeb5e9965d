package org.slipstream.smtpin.auth;

import java.io.IOException;
import java.util.Optional;

/// The users' secrets, as far as a mechanism needs them. Called on the threads of [PasswordThreads], may take its time (hashing).
///
/// An [IOException] is local trouble: the client is told to come again (454 4.7.0) and is not counted as a guesser.
public interface UserSecrets {
    /// True when this is the user's password. For an unknown user this takes as long as for a known one, by hashing against
    /// something; whoever compares hashes does it with [java.security.MessageDigest#isEqual].
    boolean verify(String user, String password) throws IOException;

    /// The keys for SCRAM-SHA-256; empty for an unknown user and for one whose keys were never derived.
    default Optional<ScramKeys> scram(String user) throws IOException {
        return Optional.empty();
    }

    /// True when SCRAM is to be announced: when the users have keys for it.
    default boolean hasScramKeys() {
        return false;
    }
}
