package org.slipstream.spool.history;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One line of the history as read from disk.
///
/// @param facts by name; a fact that is not known is absent
record HistoryEvent(Map<String, String> facts, List<String> recipients) {
    static final String QUEUE = "queue";
    static final String AT = "at";
    static final String EVENT = "event";
    static final String RECIPIENTS = "recipients";
    static final String ORIGINAL = "original";

    private static final JsonFactory JSON = new JsonFactory();

    /// Empty for a line that is not complete: the process or the machine stopped while it was written.
    static Optional<HistoryEvent> parse(String line) {
        Map<String, String> facts = new HashMap<>();
        List<String> recipients = new ArrayList<>();
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), line)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return Optional.empty();
            }
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                if (parser.nextToken() == JsonToken.START_ARRAY) {
                    while (parser.nextToken() != JsonToken.END_ARRAY) {
                        recipients.add(parser.getString());
                    }
                } else {
                    facts.put(name, parser.getString());
                }
            }
        } catch (JacksonException torn) {
            return Optional.empty();
        }
        return facts.containsKey(QUEUE) && facts.containsKey(AT) && facts.containsKey(EVENT)
                ? Optional.of(new HistoryEvent(facts, recipients))
                : Optional.empty();
    }

    String fact(String name) {
        return Optional.ofNullable(facts.get(name)).orElse("");
    }

    boolean is(EventKind kind) {
        return fact(EVENT).equals(kind.word());
    }
}
