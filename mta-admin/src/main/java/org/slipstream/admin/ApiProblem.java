package org.slipstream.admin;

import java.util.Map;
import java.util.Optional;

/// The body of an error, as RFC 9457 writes it: `application/problem+json`.
///
/// @param type `about:blank`: the status says of which kind it is (section 4.2.1)
/// @param title the name of the status, the same for each error of this kind
/// @param detail a sentence for the caller
/// @param parameter the wrong parameter of the query; absent when it was none
public record ApiProblem(String type, String title, int status, String detail, Optional<String> parameter) {
    static final String MEDIA_TYPE = "application/problem+json";
    private static final Map<Integer, String> TITLES = Map.ofEntries(Map.entry(400, "Bad Request"),
            Map.entry(401, "Unauthorized"), Map.entry(403, "Forbidden"), Map.entry(404, "Not Found"),
            Map.entry(405, "Method Not Allowed"), Map.entry(409, "Conflict"), Map.entry(413, "Content Too Large"),
            Map.entry(431, "Request Header Fields Too Large"), Map.entry(500, "Internal Server Error"),
            Map.entry(501, "Not Implemented"), Map.entry(503, "Service Unavailable"),
            Map.entry(505, "HTTP Version Not Supported"));

    static ApiProblem of(int status, String detail, Optional<String> parameter) {
        return new ApiProblem("about:blank", TITLES.getOrDefault(status, "Error"), status, detail, parameter);
    }
}
