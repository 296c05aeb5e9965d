package org.slipstream.http;

import java.util.Map;

/// The constant parts of an error as RFC 9457 writes it.
public final class HttpProblem {
    public static final String MEDIA_TYPE = "application/problem+json";
    private static final Map<Integer, String> TITLES = Map.ofEntries(Map.entry(400, "Bad Request"),
            Map.entry(401, "Unauthorized"), Map.entry(403, "Forbidden"), Map.entry(404, "Not Found"),
            Map.entry(405, "Method Not Allowed"), Map.entry(408, "Request Timeout"), Map.entry(409, "Conflict"),
            Map.entry(413, "Content Too Large"), Map.entry(415, "Unsupported Media Type"),
            Map.entry(422, "Unprocessable Content"), Map.entry(429, "Too Many Requests"),
            Map.entry(431, "Request Header Fields Too Large"), Map.entry(500, "Internal Server Error"),
            Map.entry(501, "Not Implemented"), Map.entry(503, "Service Unavailable"),
            Map.entry(505, "HTTP Version Not Supported"));

    private HttpProblem() {}

    /// The name of a status (RFC 9110 section 15).
    public static String title(int status) {
        return TITLES.getOrDefault(status, "Error");
    }
}
