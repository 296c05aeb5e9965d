package org.slipstream.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// The answer to a request.
///
/// @param type the media type, with its charset
/// @param headers further ones; neither names nor values have control characters
public record HttpAnswer(int status, String type, Map<String, String> headers, Body body) {
    public HttpAnswer {
        headers.forEach((name, value) -> {
            if ((name + value).chars().anyMatch(each -> each < ' ' || each > '~')) {
                throw new IllegalArgumentException("a header with a character that HTTP does not allow: " + name);
            }
        });
    }

    public sealed interface Body {
        /// Sent with its length.
        record Octets(byte[] octets) implements Body {}

        /// Sent in chunks, as they are written. A failure of the writer cuts the connection, so the client
        /// sees that the end is missing.
        record Streamed(Writer writer) implements Body {}
    }

    @FunctionalInterface
    public interface Writer {
        /// @param out each flush is sent to the client
        void write(OutputStream out) throws IOException;
    }

    public static HttpAnswer text(int status, String text) {
        return of(status, "text/plain; charset=utf-8", text + "\n");
    }

    public static HttpAnswer of(int status, String type, String text) {
        return new HttpAnswer(status, type, Map.of(), new Body.Octets(text.getBytes(StandardCharsets.UTF_8)));
    }

    public static HttpAnswer streamed(int status, String type, Writer writer) {
        return new HttpAnswer(status, type, Map.of(), new Body.Streamed(writer));
    }

    public HttpAnswer with(Map<String, String> further) {
        return new HttpAnswer(status, type, further, body);
    }
}
