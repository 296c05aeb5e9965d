package org.slipstream.admin;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/// What a request gets: a status, a body that becomes JSON, perhaps headers.
///
/// @param body a record, a map or a list of such; never absent, so that every answer can be read the same way
record ApiAnswer(int status, Object body, Map<String, String> headers) {
    ApiAnswer {
        Objects.requireNonNull(body);
        headers = Map.copyOf(headers);
    }

    static ApiAnswer ok(Object body) {
        return new ApiAnswer(200, body, Map.of());
    }

    /// One sentence for whoever called.
    static ApiAnswer error(int status, String sentence) {
        return new ApiAnswer(status, Map.of("error", sentence), Map.of());
    }

    static ApiAnswer badRequest(String sentence) {
        return error(400, sentence);
    }

    static ApiAnswer notFound(String sentence) {
        return error(404, sentence);
    }

    /// RFC 9110 section 15.5.6: the answer lists what is allowed.
    static ApiAnswer methodNotAllowed(String method, List<String> allowed) {
        return new ApiAnswer(405, Map.of("error", method + " is not possible here, but " + String.join(", ", allowed)),
                Map.of("Allow", String.join(", ", allowed)));
    }
}
