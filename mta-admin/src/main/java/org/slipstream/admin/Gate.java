package org.slipstream.admin;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Who may speak to the API.
///
/// Listening on loopback keeps other machines out, but not the operator's own browser: a page from anywhere may send
/// requests to `127.0.0.1`, and by giving its own name that address (DNS rebinding) may read the answers as well. Such
/// requests betray themselves by a Host or an Origin that is not loopback, and are refused before the token is looked
/// at. The token keeps out other users of this machine.
final class Gate {
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");

    private final byte[] token;
    private final int port;

    Gate(String token, int port) {
        this.token = token.getBytes(StandardCharsets.US_ASCII);
        this.port = port;
    }

    /// The refusal, or empty when the request may pass.
    ///
    /// @param hosts all Host headers of the request, all Origin and Authorization headers likewise
    Optional<Answer> refuse(List<String> hosts, List<String> origins, List<String> authorizations) {
        // RFC 9112 section 3.2: no Host, or more than one, is a bad request.
        if (hosts.size() != 1) {
            return Optional.of(Answer.badRequest("a request has one Host header"));
        }
        if (!isOurs(hosts.getFirst())) {
            return Optional.of(Answer.error(403, "the Host header names another server"));
        }
        if (!origins.stream().allMatch(this::isOurOrigin)) {
            return Optional.of(Answer.error(403, "requests from web pages are refused"));
        }
        if (authorizations.size() != 1 || !isToken(authorizations.getFirst())) {
            return Optional.of(Answer.unauthorized());
        }
        return Optional.empty();
    }

    private boolean isOurs(String hostAndPort) {
        String ending = ":" + port;
        return hostAndPort.endsWith(ending)
                && LOOPBACK.contains(
                        hostAndPort.substring(0, hostAndPort.length() - ending.length()).toLowerCase(Locale.ROOT));
    }

    private boolean isOurOrigin(String origin) {
        try {
            URI uri = URI.create(origin);
            return "http".equals(uri.getScheme()) && uri.getRawAuthority() != null && isOurs(uri.getRawAuthority());
        } catch (IllegalArgumentException noOrigin) {
            return false;
        }
    }

    private boolean isToken(String authorization) {
        String scheme = "Bearer ";
        if (!authorization.regionMatches(true, 0, scheme, 0, scheme.length())) {
            return false;
        }
        byte[] given = authorization.substring(scheme.length()).strip().getBytes(StandardCharsets.UTF_8);
        // Takes the same time wherever the first difference lies.
        return MessageDigest.isEqual(given, token);
    }
}
