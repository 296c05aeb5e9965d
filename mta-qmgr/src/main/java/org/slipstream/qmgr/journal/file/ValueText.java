package org.slipstream.qmgr.journal.file;

import org.jspecify.annotations.Nullable;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.settings.ChangedSettings;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/// Converts records to JSON and back, without loss: numbers, texts, durations, constants, optionals,
/// collections, maps by name or constant, records, and sealed families of records. [#requireForm] tells which
/// types have no form.
///
/// A member of a sealed family begins with its name, so that the reader knows the class. Anything
/// that the classes do not have is refused: a record of another version must not be read as
/// something else.
public final class ValueText {
    private static final JsonFactory JSON = new JsonFactory();
    private static final String MEMBER = "is";

    private ValueText() {}

    /// The parts of a record class. Components are slow to ask for, so each class is asked once.
    private static final ClassValue<RecordComponent[]> COMPONENTS = new ClassValue<>() {
        @Override
        protected RecordComponent[] computeValue(Class<?> type) {
            RecordComponent[] components = type.getRecordComponents();
            for (RecordComponent component : components) {
                component.getAccessor().setAccessible(true);
            }
            return components;
        }
    };

    /// A member of a family that cannot be sealed, because it is in another package.
    private static final Map<Class<?>, Class<?>> ELSEWHERE = Map.of(QmgrEvent.NewSettings.class,
            ChangedSettings.class);

    /// The records of a family by name.
    private static final ClassValue<Map<String, Class<?>>> MEMBERS = new ClassValue<>() {
        @Override
        protected Map<String, Class<?>> computeValue(Class<?> family) {
            Map<String, Class<?>> members = new LinkedHashMap<>();
            Optional.ofNullable(ELSEWHERE.get(family)).ifPresent(member -> members.put(name(member), member));
            for (Class<?> permitted : Optional.ofNullable(family.getPermittedSubclasses()).orElse(new Class<?>[0])) {
                if (permitted.isRecord()) {
                    if (members.put(name(permitted), permitted) != null) {
                        throw new IllegalStateException("two members have the name of " + permitted);
                    }
                } else {
                    members.putAll(MEMBERS.get(permitted));
                }
            }
            return members;
        }
    };

    private static String name(Class<?> type) {
        return type.getSimpleName().replaceAll("(?<=[a-z0-9])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    }

    // ---- writing

    /// @param tag the field that names the class
    static String write(Record value, String tag) {
        return write(value, Optional.of(tag));
    }

    static String write(Record value, Optional<String> tag) {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            record(value, tag, out);
        }
        return text.toString();
    }

    private static void record(Record value, Optional<String> tag, JsonGenerator out) {
        out.writeStartObject();
        tag.ifPresent(field -> out.writeStringProperty(field, name(value.getClass())));
        for (RecordComponent component : COMPONENTS.get(value.getClass())) {
            out.writeName(component.getName());
            value(get(value, component), component.getGenericType(), out);
        }
        out.writeEndObject();
    }

    private static Object get(Record value, RecordComponent component) {
        try {
            return component.getAccessor().invoke(value);
        } catch (IllegalAccessException | InvocationTargetException unforeseen) {
            throw new IllegalStateException("cannot read " + component, unforeseen);
        }
    }

    static void value(Object value, Type declared, JsonGenerator out) {
        switch (value) {
            case String text -> out.writeString(text);
            case Integer number -> out.writeNumber(number);
            case Long number -> out.writeNumber(number);
            case Double number -> out.writeNumber(number);
            case Boolean flag -> out.writeBoolean(flag);
            case Enum<?> constant -> out.writeString(constant.name());
            case Duration duration -> out.writeString(duration.toString());
            case Instant moment -> out.writeString(moment.toString());
            case QueueId id -> out.writeString(id.toString());
            case OptionalLong number -> optional(number.isPresent(), () -> out.writeNumber(number.getAsLong()), out);
            case OptionalInt number -> optional(number.isPresent(), () -> out.writeNumber(number.getAsInt()), out);
            case Optional<?> optional -> optional(optional.isPresent(),
                    () -> value(optional.orElseThrow(), inner(declared, 0), out), out);
            case Collection<?> items -> {
                out.writeStartArray();
                items.forEach(item -> value(item, inner(declared, 0), out));
                out.writeEndArray();
            }
            case Map<?, ?> map -> {
                out.writeStartObject();
                map.forEach((key, item) -> {
                    out.writeName(key instanceof Enum<?> constant ? constant.name() : (String) key);
                    value(item, inner(declared, 1), out);
                });
                out.writeEndObject();
            }
            case Record record -> record(record,
                    raw(declared).isRecord() ? Optional.empty() : Optional.of(MEMBER), out);
            default -> throw new IllegalArgumentException("no form for " + value.getClass());
        }
    }

    private static void optional(boolean present, Runnable write, JsonGenerator out) {
        if (present) {
            write.run();
        } else {
            out.writeNull();
        }
    }

    // ---- reading

    /// How a record with more or fewer fields than its class is read.
    enum UnknownFields {
        REFUSED,
        /// For messages between nodes, which may have different versions: a field that is not known is passed over,
        /// and an optional one may be missing.
        PASSED_OVER
    }

    /// @param tag the field that names the class, the first one
    static Object read(JsonParser parser, Class<?> family, String tag) {
        return read(parser, family, tag, UnknownFields.REFUSED);
    }

    private static Object read(JsonParser parser, Class<?> family, String tag, UnknownFields unknown) {
        require(parser, JsonToken.START_OBJECT, family);
        if (parser.nextToken() != JsonToken.PROPERTY_NAME || !parser.currentName().equals(tag)) {
            throw new IllegalArgumentException("\"" + tag + "\" is not the first field");
        }
        parser.nextToken();
        String name = parser.getString();
        Class<?> member = MEMBERS.get(family).get(name);
        if (member == null) {
            throw new IllegalArgumentException("\"" + name + "\" is no " + name(family) + " of this version");
        }
        return fields(parser, member, unknown);
    }

    /// The fields up to the end of the object.
    static Object fields(JsonParser parser, Class<?> type, UnknownFields unknown) {
        RecordComponent[] components = COMPONENTS.get(type);
        @Nullable
        Object[] values = new @Nullable Object[components.length];
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String field = parser.currentName();
            int at = indexOf(components, field);
            if (at < 0 && unknown == UnknownFields.PASSED_OVER) {
                parser.nextToken();
                parser.skipChildren();
                continue;
            }
            if (at < 0) {
                throw new IllegalArgumentException(name(type) + " has no field \"" + field + "\" in this version");
            }
            parser.nextToken();
            values[at] = value(parser, components[at].getGenericType(), unknown);
        }
        for (int i = 0; i < values.length; i++) {
            if (values[i] == null && unknown == UnknownFields.PASSED_OVER
                    && components[i].getType() == Optional.class) {
                values[i] = Optional.empty();
            }
            if (values[i] == null) {
                throw new IllegalArgumentException(
                        name(type) + " has no field \"" + components[i].getName() + "\" in the file");
            }
        }
        return construct(type, components, values);
    }

    private static int indexOf(RecordComponent[] components, String field) {
        for (int i = 0; i < components.length; i++) {
            if (components[i].getName().equals(field)) {
                return i;
            }
        }
        return -1;
    }

    private static Object construct(Class<?> type, RecordComponent[] components, @Nullable Object[] values) {
        try {
            return type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new))
                    .newInstance(values);
        } catch (InvocationTargetException refused) {
            throw new IllegalArgumentException("no " + name(type) + ": " + refused.getCause(), refused);
        } catch (ReflectiveOperationException unforeseen) {
            throw new IllegalStateException(type + " cannot be created", unforeseen);
        }
    }

    static Object value(JsonParser parser, Type declared, UnknownFields unknown) {
        Class<?> type = raw(declared);
        boolean absent = parser.currentToken() == JsonToken.VALUE_NULL;
        if (type == Optional.class) {
            return absent ? Optional.empty() : Optional.of(value(parser, inner(declared, 0), unknown));
        } else if (type == OptionalLong.class) {
            return absent ? OptionalLong.empty() : OptionalLong.of(parser.getLongValue());
        } else if (type == OptionalInt.class) {
            return absent ? OptionalInt.empty() : OptionalInt.of(parser.getIntValue());
        } else if (Map.class.isAssignableFrom(type)) {
            return map(parser, raw(inner(declared, 0)), inner(declared, 1), unknown);
        } else if (Collection.class.isAssignableFrom(type)) {
            List<Object> items = list(parser, inner(declared, 0), unknown);
            return type == Set.class ? new LinkedHashSet<>(items) : items;
        } else if (isFamily(type)) {
            return read(parser, type, MEMBER, unknown);
        } else if (type.isRecord() && type != QueueId.class) {
            require(parser, JsonToken.START_OBJECT, type);
            return fields(parser, type, unknown);
        }
        return plain(parser, type);
    }

    private static Object plain(JsonParser parser, Class<?> type) {
        if (type == int.class || type == Integer.class) {
            return parser.getIntValue();
        } else if (type == long.class || type == Long.class) {
            return parser.getLongValue();
        } else if (type == double.class || type == Double.class) {
            return parser.getDoubleValue();
        } else if (type == boolean.class || type == Boolean.class) {
            return parser.getBooleanValue();
        }
        require(parser, JsonToken.VALUE_STRING, type);
        String text = parser.getString();
        if (type == String.class) {
            return text;
        } else if (type == Duration.class) {
            return Duration.parse(text);
        } else if (type == Instant.class) {
            return Instant.parse(text);
        } else if (type == QueueId.class) {
            return QueueId.parse(text).orElseThrow(() -> new IllegalArgumentException("no queue id: " + text));
        }
        return constant(type, text);
    }

    private static Object constant(Class<?> type, String text) {
        return Arrays.stream(type.getEnumConstants()).filter(each -> ((Enum<?>) each).name().equals(text)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("\"" + text + "\" is no " + name(type)));
    }

    private static List<Object> list(JsonParser parser, Type item, UnknownFields unknown) {
        require(parser, JsonToken.START_ARRAY, List.class);
        List<Object> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(value(parser, item, unknown));
        }
        return items;
    }

    private static Map<Object, Object> map(JsonParser parser, Class<?> keys, Type item, UnknownFields unknown) {
        require(parser, JsonToken.START_OBJECT, Map.class);
        Map<Object, Object> items = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String key = parser.currentName();
            parser.nextToken();
            items.put(keys.isEnum() ? constant(keys, key) : key, value(parser, item, unknown));
        }
        return items;
    }

    private static void require(JsonParser parser, JsonToken token, Class<?> type) {
        if (parser.currentToken() != token) {
            throw new IllegalArgumentException(
                    "a value of " + name(type) + " cannot begin with " + parser.currentToken());
        }
    }

    // ---- types

    private static Class<?> raw(Type type) {
        return (Class<?>) (type instanceof ParameterizedType generic ? generic.getRawType() : type);
    }

    private static boolean isFamily(Class<?> type) {
        return type.isInterface() && (type.isSealed() || ELSEWHERE.containsKey(type));
    }

    private static Type inner(Type type, int number) {
        return ((ParameterizedType) type).getActualTypeArguments()[number];
    }

    /// @throws IllegalArgumentException a type within this one has no form
    public static void requireForm(Type declared, Set<Class<?>> seen) {
        if (declared instanceof ParameterizedType generic) {
            boolean texts = !Map.class.isAssignableFrom(raw(declared)) || inner(declared, 0) == String.class
                    || raw(inner(declared, 0)).isEnum();
            if (!texts) {
                throw new IllegalArgumentException("no form for the keys of " + declared);
            }
            for (Type each : generic.getActualTypeArguments()) {
                requireForm(each, seen);
            }
            return;
        }
        Class<?> type = raw(declared);
        if (!seen.add(type)) {
            return;
        }
        if (type.isRecord()) {
            for (RecordComponent component : type.getRecordComponents()) {
                requireForm(component.getGenericType(), seen);
            }
        } else if (isFamily(type)) {
            MEMBERS.get(type).values().forEach(member -> requireForm(member, seen));
        } else if (!type.isEnum() && !PLAIN.contains(type)) {
            throw new IllegalArgumentException("no form for " + type);
        }
    }

    private static final Set<Class<?>> PLAIN = Set.of(int.class, long.class, double.class, boolean.class, String.class,
            Integer.class, Long.class, Double.class, Boolean.class, Duration.class, Instant.class, OptionalLong.class,
            OptionalInt.class, QueueId.class);
}
