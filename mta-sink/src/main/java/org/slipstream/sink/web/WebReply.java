package org.slipstream.sink.web;

import tools.jackson.databind.json.JsonMapper;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/// A reply of the web page or of the API.
record WebReply(int status, Map<String, String> headers, byte[] body) {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    static WebReply of(int status, String type, byte[] body) {
        return new WebReply(status, Map.of("Content-Type", type), body);
    }

    static WebReply json(int status, Object value) {
        return of(status, "application/json", JSON.writeValueAsBytes(value));
    }

    static WebReply json(Object value) {
        return json(200, value);
    }

    /// One sentence about what is wrong.
    static WebReply wrong(int status, String sentence) {
        return json(status, Map.of("error", sentence));
    }

    static WebReply text(String type, String body) {
        return of(200, type + "; charset=utf-8", body.getBytes(StandardCharsets.UTF_8));
    }

    WebReply with(String header, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(header, value);
        return new WebReply(status, more, body);
    }
}
