package org.slipstream.qmgr.journal.file;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

import java.io.StringWriter;
import java.lang.reflect.Type;
import java.util.Optional;

/// The text form of messages between the nodes of a cluster: records as JSON, as in the journal.
///
/// Nodes of two versions talk to each other during an upgrade. A field that one of them does not know is passed
/// over, so a later version may add optional fields. It must not add a member to a family of records that an
/// earlier one reads.
public final class NodeText {
    private static final JsonFactory JSON = new JsonFactory();

    private NodeText() {}

    public static String write(Record message) {
        return ValueText.write(message, Optional.empty());
    }

    /// A value of a type that has a form ([ValueText#requireForm]).
    public static String write(Object value, Type declared) {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            ValueText.value(value, declared, out);
        }
        return text.toString();
    }

    /// @throws IllegalArgumentException when the text is no such value
    public static Object read(String text, Type declared) {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
            parser.nextToken();
            Object value = ValueText.value(parser, declared, ValueText.UnknownFields.PASSED_OVER);
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("something follows the value");
            }
            return value;
        } catch (JacksonException malformed) {
            throw new IllegalArgumentException("no JSON: " + malformed.getOriginalMessage(), malformed);
        }
    }

    /// @throws IllegalArgumentException when the text is no such message
    public static <T extends Record> T read(String text, Class<T> type) {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("a message is a JSON object");
            }
            T message = type.cast(ValueText.fields(parser, type, ValueText.UnknownFields.PASSED_OVER));
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("something follows the message");
            }
            return message;
        } catch (JacksonException malformed) {
            throw new IllegalArgumentException("no JSON: " + malformed.getOriginalMessage(), malformed);
        }
    }
}
