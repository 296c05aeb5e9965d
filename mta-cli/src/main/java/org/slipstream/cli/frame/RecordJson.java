package org.slipstream.cli.frame;

import org.jspecify.annotations.Nullable;
import org.slipstream.core.text.Controls;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;

import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Converts the API's JSON to records and back: texts, numbers, booleans, lists, optionals, maps by
/// name, and records of such.
///
/// Jackson's databind can do this and much more, but needs 150 ms of processor time to initialize,
/// which is most of the time of a command. Its parser alone needs a tenth of that. As in databind,
/// unknown fields are skipped, so that a command understands a server of a later release; missing
/// fields are empty.
public final class RecordJson {
    private static final JsonFactory JSON = new JsonFactory();

    private RecordJson() {}

    /// @throws tools.jackson.core.JacksonException when the text is not valid JSON, or its values
    ///     have other types
    public static <T extends Record> T read(String text, Class<T> type) {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
            parser.nextToken();
            return type.cast(record(parser, type));
        }
    }

    public static String write(Record value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            write(value, generator);
        }
        return Controls.escapedJson(text.toString());
    }

    private static Object record(JsonParser parser, Class<?> type) {
        expect(JsonToken.START_OBJECT, parser);
        RecordComponent[] components = type.getRecordComponents();
        @Nullable
        Object[] values = new @Nullable Object[components.length];
        Arrays.setAll(values, i -> missing(components[i].getType()));
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            int at = indexOf(components, parser.currentName());
            JsonToken token = parser.nextToken();
            if (at < 0) {
                parser.skipChildren();
            } else if (token != JsonToken.VALUE_NULL) {
                values[at] = value(parser, components[at].getGenericType());
            }
        }
        return construct(type, components, values);
    }

    private static int indexOf(RecordComponent[] components, String name) {
        for (int i = 0; i < components.length; i++) {
            if (components[i].getName().equals(name)) {
                return i;
            }
        }
        return -1;
    }

    private static Object construct(Class<?> type, RecordComponent[] components, @Nullable Object[] values) {
        try {
            Constructor<?> canonical = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            canonical.setAccessible(true);
            return canonical.newInstance(values);
        } catch (ReflectiveOperationException unforeseen) {
            throw new IllegalStateException(type + " cannot be created", unforeseen);
        }
    }

    private static Object value(JsonParser parser, Type type) {
        if (type instanceof ParameterizedType generic) {
            Type[] inner = generic.getActualTypeArguments();
            if (generic.getRawType() == Map.class) {
                return map(parser, inner[1]);
            }
            return generic.getRawType() == Optional.class
                    ? Optional.of(value(parser, inner[0]))
                    : list(parser, inner[0]);
        }
        Class<?> plain = (Class<?>) type;
        if (plain == String.class) {
            return parser.getString();
        } else if (plain == int.class || plain == Integer.class) {
            return parser.getIntValue();
        } else if (plain == long.class || plain == Long.class) {
            return parser.getLongValue();
        } else if (plain == boolean.class || plain == Boolean.class) {
            return parser.getBooleanValue();
        } else if (plain == double.class || plain == Double.class) {
            return parser.getDoubleValue();
        }
        return record(parser, plain);
    }

    private static void expect(JsonToken token, JsonParser parser) {
        if (parser.currentToken() != token) {
            throw new StreamReadException(parser, "expected " + token + ", found " + parser.currentToken());
        }
    }

    private static List<Object> list(JsonParser parser, Type inner) {
        expect(JsonToken.START_ARRAY, parser);
        List<Object> values = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            values.add(value(parser, inner));
        }
        return values;
    }

    private static Map<String, Object> map(JsonParser parser, Type inner) {
        expect(JsonToken.START_OBJECT, parser);
        Map<String, Object> values = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            values.put(name, value(parser, inner));
        }
        return values;
    }

    private static @Nullable Object missing(Class<?> type) {
        if (type == String.class) {
            return "";
        } else if (type == Optional.class) {
            return Optional.empty();
        } else if (type == List.class) {
            return List.of();
        } else if (type == Map.class) {
            return Map.of();
        } else if (type.isRecord()) {
            RecordComponent[] components = type.getRecordComponents();
            return construct(type, components,
                    Arrays.stream(components).map(each -> missing(each.getType())).toArray());
        } else if (type == int.class) {
            return 0;
        } else if (type == long.class) {
            return 0L;
        } else if (type == double.class) {
            return 0.0;
        }
        return type == boolean.class ? Boolean.FALSE : null;
    }

    private static void write(@Nullable Object value, JsonGenerator out) {
        switch (value) {
            case null -> out.writeNull();
            case String text -> out.writeString(text);
            case Integer number -> out.writeNumber(number);
            case Long number -> out.writeNumber(number);
            case Double number -> out.writeNumber(number);
            case Boolean flag -> out.writeBoolean(flag);
            case Optional<?> optional -> write(optional.orElse(null), out);
            case List<?> list -> {
                out.writeStartArray();
                list.forEach(item -> write(item, out));
                out.writeEndArray();
            }
            case Map<?, ?> map -> {
                out.writeStartObject();
                map.forEach((name, inner) -> {
                    out.writeName((String) name);
                    write(inner, out);
                });
                out.writeEndObject();
            }
            case Record record -> write(record, out);
            default -> throw new IllegalArgumentException("no form in JSON for " + value.getClass());
        }
    }

    private static void write(Record record, JsonGenerator out) {
        out.writeStartObject();
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            out.writeName(component.getName());
            write(valueOf(record, component), out);
        }
        out.writeEndObject();
    }

    private static @Nullable Object valueOf(Record record, RecordComponent component) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException unforeseen) {
            throw new IllegalStateException(record.getClass() + " cannot be read", unforeseen);
        }
    }
}
