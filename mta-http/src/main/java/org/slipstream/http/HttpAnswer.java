package org.slipstream.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/// The answer to a request.
///
/// @param type the media type, with its charset
/// @param headers further ones; neither names nor values have control characters
/// @param octets the body
public record HttpAnswer(int status, String type, Map<String, String> headers, byte[] octets) {
    public HttpAnswer {
        headers.forEach((name, value) -> {
            if ((name + value).chars().anyMatch(each -> each < ' ' || each > '~')) {
                throw new IllegalArgumentException("a header with a character that HTTP does not allow: " + name);
            }
        });
    }

    public static HttpAnswer text(int status, String text) {
        return of(status, "text/plain; charset=utf-8", text + "\n");
    }

    public static HttpAnswer of(int status, String type, String text) {
        return new HttpAnswer(status, type, Map.of(), text.getBytes(StandardCharsets.UTF_8));
    }

    public HttpAnswer with(Map<String, String> further) {
        return new HttpAnswer(status, type, further, octets);
    }
}
