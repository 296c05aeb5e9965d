package org.slipstream.smtpin.auth;

import org.slipstream.core.sasl.ScramKeys;

import java.io.IOException;
import java.util.Optional;

/// The secrets of the users, as far as a mechanism needs them. The threads of [PasswordThreads]
/// call it, so it may take the time of a password hash.
///
/// An [IOException] is local trouble: the reply is 454 4.7.0, and the attempt does not count as a
/// failed login.
public interface UserSecrets {
    /// True when this is the user's password. An unknown user takes as long as a known one, because
    /// a hash is computed in both cases. Hashes are compared with
    /// [java.security.MessageDigest#isEqual].
    ///
    /// @param user prepared, see [org.slipstream.core.sasl.SaslPrep]
    /// @param password prepared, see [org.slipstream.core.sasl.OpaqueString#forms]: called once per
    ///     form
    boolean verify(String user, String password) throws IOException;

    /// The keys for SCRAM-SHA-256; empty for an unknown user and for one without such keys.
    default Optional<ScramKeys> scram(String user) throws IOException {
        return Optional.empty();
    }

    /// True when SCRAM is to be announced, because the users have keys for it.
    default boolean hasScramKeys() {
        return false;
    }
}
