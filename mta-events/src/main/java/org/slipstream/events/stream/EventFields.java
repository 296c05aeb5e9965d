package org.slipstream.events.stream;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/// The fields of an event by which readers choose.
///
/// @param sender empty in a report, and in an event that has none
public record EventFields(String kind, String sender) {
    private static final JsonFactory JSON = new JsonFactory();

    /// Of a line; without fields when it is none.
    public static EventFields of(String line) {
        String kind = "";
        String sender = "";
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), line)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                switch (name) {
                    case "kind" -> kind = parser.getString();
                    case "sender" -> sender = parser.getString();
                    default -> parser.skipChildren();
                }
            }
        } catch (JacksonException damaged) {
            return new EventFields("", "");
        }
        return new EventFields(kind, sender);
    }
}
