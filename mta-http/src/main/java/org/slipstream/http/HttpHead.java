package org.slipstream.http;

import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.SequencedMap;

/// The head of an answer (RFC 9112 section 4): status line, date, headers.
public final class HttpHead {
    private HttpHead() {}

    /// @param headers without control characters
    public static byte[] octets(int status, SequencedMap<String, String> headers) {
        StringBuilder head = new StringBuilder("HTTP/1.1 ").append(status).append(" \r\nDate: ")
                .append(DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC))).append("\r\n");
        headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        return head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
    }
}
