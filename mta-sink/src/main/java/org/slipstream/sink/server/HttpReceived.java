package org.slipstream.sink.server;

import java.util.Map;
import java.util.Optional;

/// A request that the web server of a sink received.
///
/// @param path with the query
/// @param headers by their names in lower case
/// @param status of the answer; 0 when none was sent
public record HttpReceived(String method, String path, Map<String, String> headers, byte[] body, int status) {
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }
}
