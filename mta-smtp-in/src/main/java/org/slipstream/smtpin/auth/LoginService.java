package org.slipstream.smtpin.auth;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// The place where logins are decided: the file of users ([Mechanisms]), or another program.
/// Thread-safe.
public interface LoginService {
    /// The mechanisms to announce, strongest first; empty: AUTH is not announced. Answers at once.
    ///
    /// @param inTls true when channel binding is possible
    List<String> names(boolean inTls);

    /// Begins an exchange; empty for a mechanism that is not served.
    ///
    /// @throws IOException local trouble: the reply is 454 4.7.0, and the attempt does not count as
    ///     a failed login
    Optional<Mechanism> begin(String mechanism, LoginClient client) throws IOException;
}
