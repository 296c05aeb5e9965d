package org.slipstream.http;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// A request of a client, whose body has not been read yet.
///
/// @param path decoded
/// @param query not decoded, without the question mark; empty when there is none
/// @param headers by name in lower case, each with its values in their order
/// @param keepAlive true when the client keeps the connection open
/// @param body ends where the request ends
/// @param client the address of the other end of the connection; empty for a UNIX domain socket
public record HttpRequest(String method, String path, String query, Map<String, List<String>> headers,
        boolean keepAlive, HttpBody body, String client) {
    private static final String BEARER = "Bearer ";

    /// The values of a header.
    ///
    /// @param name in any case
    public List<String> values(String name) {
        return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
    }

    /// The first value of a header.
    ///
    /// @param name in any case
    public Optional<String> value(String name) {
        return values(name).stream().findFirst();
    }

    /// The token of the header `Authorization: Bearer` (RFC 6750). Empty without the header. Another
    /// scheme than `Bearer` gives a text that is no token.
    public Optional<String> token() {
        return value("authorization").map(value -> value.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? value.substring(BEARER.length()).strip()
                : "");
    }

    HttpRequest from(String peer) {
        return new HttpRequest(method, path, query, headers, keepAlive, body, peer);
    }
}
