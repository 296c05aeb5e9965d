package org.slipstream.monitor.alarm;

import tools.jackson.databind.json.JsonMapper;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/// A notice about a trouble: it began, or it ended.
public record AlarmNotice(NoticeKind kind, AlarmCause cause, Instant at) {
    /// Less than a pipe takes without a reader.
    static final int MOST_TEXT = 1_000;
    private static final JsonMapper JSON = new JsonMapper();

    public enum NoticeKind {
        RAISED, RECOVERED;

        public String word() {
            return this == RAISED ? "raised" : "recovered";
        }
    }

    /// One JSON object. Texts are cut at [#MOST_TEXT] characters, and `text` has all in one line, for chats.
    byte[] json(String hostname) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("text", bounded(hostname + ": " + (kind == NoticeKind.RAISED ? "" : "over: ") + cause.name() + ": "
                + cause.meaning() + (cause.reason().isEmpty() ? "" : " (" + cause.reason() + ")")));
        facts.put("state", kind.word());
        facts.put("what", cause.what());
        facts.put("subject", cause.subject());
        facts.put("hostname", hostname);
        facts.put("since", cause.since());
        facts.put("at", at.toString());
        facts.put("meaning", bounded(cause.meaning()));
        facts.put("reason", bounded(cause.reason()));
        return (JSON.writeValueAsString(facts) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static String bounded(String text) {
        return text.length() <= MOST_TEXT ? text : text.substring(0, MOST_TEXT) + "…";
    }
}
