package org.slipstream.admin;

import java.io.IOException;
import java.util.Optional;

/// The tokens of the API.
@FunctionalInterface
public interface Tokens {
    /// The caller with this token; empty when there is no such token.
    Optional<ApiCaller> find(String token) throws IOException;
}
