package org.slipstream.inject;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

import java.io.StringWriter;
import java.util.function.Consumer;

/// Writes the JSON of answers.
final class JsonText {
    private static final JsonFactory JSON = new JsonFactory();

    private JsonText() {}

    static JsonGenerator generator(StringWriter text) {
        return JSON.createGenerator(ObjectWriteContext.empty(), text);
    }

    static String of(Consumer<JsonGenerator> fields) {
        StringWriter text = new StringWriter(256);
        try (JsonGenerator out = generator(text)) {
            fields.accept(out);
        }
        return text + "\n";
    }
}
