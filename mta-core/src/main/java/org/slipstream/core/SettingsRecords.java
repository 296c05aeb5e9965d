package org.slipstream.core;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

/// Makes records of settings from their declarations ([Setting]).
///
/// A component is a setting, or another record of settings. Components are addressed by name, so a
/// record that gains or reorders components is still filled correctly.
public final class SettingsRecords {
    private SettingsRecords() {}

    /// A component of a record: a setting, or a record of settings.
    private record Part(Optional<DeclaredSetting> declared, Class<?> type) {}

    /// Annotations are parsed at each call of [Class#getRecordComponents], so each type is read
    /// once.
    private static final Map<Class<?>, List<Part>> PARTS = new ConcurrentHashMap<>();

    /// The settings of a record and of the records in it, in their order.
    public static List<DeclaredSetting> declared(Class<? extends Record> type) {
        return all(type).toList();
    }

    private static Stream<DeclaredSetting> all(Class<?> type) {
        return parts(type).stream()
                .flatMap(part -> part.declared().isPresent() ? part.declared().stream() : all(part.type()));
    }

    private static List<Part> parts(Class<?> type) {
        List<Part> known = PARTS.get(type);
        if (known == null) {
            SettingsSection section = type.getAnnotation(SettingsSection.class);
            known = Arrays.stream(type.getRecordComponents())
                    .map(component -> part(component,
                            Optional.ofNullable(section)))
                    .toList();
            PARTS.put(type, known);
        }
        return known;
    }

    private static Part part(RecordComponent component, Optional<SettingsSection> section) {
        Setting setting = component.getAnnotation(Setting.class);
        if (setting != null) {
            return new Part(Optional.of(declaration(component, setting, section)), component.getType());
        }
        if (!component.getType().isRecord()) {
            throw new IllegalStateException(named(component) + " has no @Setting");
        }
        return new Part(Optional.empty(), component.getType());
    }

    private static DeclaredSetting declaration(RecordComponent component, Setting setting,
            Optional<SettingsSection> section) {
        String own = setting.section().isEmpty()
                ? section.map(SettingsSection::value)
                        .orElseThrow(() -> new IllegalStateException(named(component) + " has no section"))
                : setting.section();
        return new DeclaredSetting(own, setting.key().isEmpty() ? kebab(component.getName()) : setting.key(),
                component.getGenericType(), setting, setting.restart().isEmpty()
                        ? section.map(SettingsSection::restart).orElse("")
                        : setting.restart());
    }

    private static String named(RecordComponent component) {
        return component.getDeclaringRecord().getName() + "." + component.getName();
    }

    private static String kebab(String name) {
        StringBuilder words = new StringBuilder();
        for (char letter : name.toCharArray()) {
            if (Character.isUpperCase(letter)) {
                words.append('-');
            }
            words.append(Character.toLowerCase(letter));
        }
        return words.toString();
    }

    /// A record whose values come from a function of their declarations.
    public static <R> R make(Class<R> type, Function<DeclaredSetting, ?> value) {
        return construct(type, parts(type).stream().map(
                part -> part.declared().isPresent() ? value.apply(part.declared().get()) : make(part.type(), value))
                .toArray());
    }

    /// A record with every default.
    public static <R extends Record> R defaults(Class<R> type) {
        return make(type, declared -> parse(declared.type(), declared.setting(), declared.setting().value()));
    }

    /// A copy with other values for some components.
    ///
    /// @param changes by the component's name
    public static <R extends Record> R with(R record, Map<String, ?> changes) {
        RecordComponent[] components = record.getClass().getRecordComponents();
        List<String> names = Arrays.stream(components).map(RecordComponent::getName).toList();
        if (!names.containsAll(changes.keySet())) {
            throw new IllegalArgumentException("of " + changes.keySet() + " some are not in " + names);
        }
        @SuppressWarnings("unchecked")
        Class<R> type = (Class<R>) record.getClass();
        return construct(type, Arrays.stream(components).map(component -> changes.containsKey(component.getName())
                ? changes.get(component.getName())
                : read(component, record)).toArray());
    }

    /// A copy with another value for one component.
    public static <R extends Record> R with(R record, String component, Object value) {
        return with(record, Map.of(component, value));
    }

    /// A copy with the values of a function of each declaration and the present value.
    @SuppressWarnings("unchecked")
    public static <R extends Record> R map(R record, BiFunction<DeclaredSetting, Object, ?> value) {
        List<Part> parts = parts(record.getClass());
        RecordComponent[] components = record.getClass().getRecordComponents();
        Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            Object now = read(components[i], record);
            Optional<DeclaredSetting> declared = parts.get(i).declared();
            values[i] = declared.isPresent() ? value.apply(declared.get(), now) : map((Record) now, value);
        }
        return construct((Class<R>) record.getClass(), values);
    }

    /// A copy of `next` with the values of `running` where a change needs a restart.
    @SuppressWarnings("unchecked")
    public static <R extends Record> R keep(R next, R running) {
        List<Part> parts = parts(next.getClass());
        RecordComponent[] components = next.getClass().getRecordComponents();
        Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            Object now = read(components[i], running);
            Object wanted = read(components[i], next);
            Optional<DeclaredSetting> declared = parts.get(i).declared();
            values[i] = declared.isEmpty()
                    ? keep((Record) wanted, (Record) now)
                    : declared.get().restart().isEmpty() ? wanted : now;
        }
        return construct((Class<R>) next.getClass(), values);
    }

    /// The same for a record that holds records of settings beside other values: these are those of
    /// `next`.
    public static <R extends Record> R keepIn(R next, R running) {
        Map<String, Object> kept = new HashMap<>();
        for (RecordComponent component : next.getClass().getRecordComponents()) {
            if (component.getType().isAnnotationPresent(SettingsSection.class)) {
                kept.put(component.getName(),
                        keep((Record) read(component, next), (Record) read(component, running)));
            }
        }
        return with(next, kept);
    }

    private static Object read(RecordComponent component, Record record) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(record);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("cannot read " + component, e);
        }
    }

    private static <R> R construct(Class<R> type, Object[] values) {
        try {
            Constructor<R> canonical = type.getDeclaredConstructor(
                    Arrays.stream(type.getRecordComponents()).map(RecordComponent::getType).toArray(Class<?>[]::new));
            canonical.setAccessible(true);
            return canonical.newInstance(values);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof RuntimeException refused ? refused : new IllegalStateException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make a " + type.getName(), e);
        }
    }

    /// The word that a constant has in files: `ROUND_ROBIN` is `round-robin`.
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Object parse(Type type, Setting setting, String text) {
        if (type instanceof ParameterizedType generic && generic.getRawType() == Optional.class) {
            return text.equals(setting.none())
                    ? Optional.empty()
                    : Optional.of(parse(generic.getActualTypeArguments()[0], setting, text));
        }
        if (type instanceof ParameterizedType generic && generic.getRawType() == List.class) {
            return Arrays.stream(text.split(",")).map(String::strip).filter(item -> !item.isEmpty())
                    .map(item -> parse(generic.getActualTypeArguments()[0], setting, item)).toList();
        }
        return parse((Class<?>) type, text);
    }

    private static Object parse(Class<?> type, String text) {
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants()).filter(each -> word((Enum<?>) each).equals(text)).findFirst()
                    .orElseThrow();
        }
        return switch (type.getSimpleName()) {
            case "int", "Integer" -> Integer.parseInt(text);
            case "boolean" -> Boolean.parseBoolean(text);
            case "String" -> text;
            case "Path" -> Path.of(text);
            case "Duration" -> Duration.ofMillis(Units.DURATIONS.parse(text).orElseThrow());
            default -> parseItself(type, text);
        };
    }

    /// By the type's own `static Optional<T> parse(String)`.
    private static Object parseItself(Class<?> type, String text) {
        try {
            return ((Optional<?>) type.getMethod("parse", String.class).invoke(null, text)).orElseThrow();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no form of text for " + type.getName(), e);
        }
    }
}
