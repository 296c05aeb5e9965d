package org.slipstream.settings;

import org.slipstream.core.DeclaredSetting;
import org.slipstream.core.SettingsRecords;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// The value of every key, given or default, and the records that are made of them.
public final class Values {
    private static final String HOSTNAME = "hostname";

    private final Schema schema;
    private final Path home;
    private final Map<List<String>, Value> given = new LinkedHashMap<>();
    private final Map<String, Object> read = new LinkedHashMap<>();
    private final Set<String> refused = new HashSet<>();

    /// @param home the folder that relative paths start from
    /// @param entries later ones replace earlier ones of the same key
    public Values(Schema schema, Path home, List<SettingEntry> entries, String machine, Complaints complaints) {
        this.schema = schema;
        this.home = home;
        entries.forEach(entry -> given.put(entry.path(), entry.value()));
        // Other defaults depend on the hostname, so it is read first.
        schema.find("", HOSTNAME).ifPresent(key -> read(key, machine, complaints));
        String hostname = (String) read.getOrDefault(HOSTNAME, machine);
        schema.keys().stream().filter(key -> !read.containsKey(key.dotted()))
                .forEach(key -> read(key, hostname, complaints));
    }

    private void read(Key key, String name, Complaints complaints) {
        Value standard = key.defaultValue(name);
        Optional<?> value = key.form().read(given(key).orElse(standard), key.dotted(), complaints);
        if (value.isEmpty()) {
            refused.add(key.dotted());
        }
        // The default replaces a refused value so that the other checks can go on; the whole is
        // refused anyway.
        read.put(key.dotted(),
                value.isPresent() ? value.get() : key.form().read(standard, key.dotted(), complaints).orElseThrow());
    }

    /// A record of settings with the values of its keys.
    public <R extends Record> R record(Class<R> type) {
        return SettingsRecords.make(type, this::of);
    }

    public Object of(DeclaredSetting declared) {
        return resolved(Objects.requireNonNull(read.get(declared.dotted())));
    }

    /// Relative paths start from the home folder.
    private Object resolved(Object value) {
        return switch (value) {
            case Path path -> home.resolve(path);
            case Optional<?> maybe -> maybe.map(this::resolved);
            case List<?> list -> list.stream().map(this::resolved).toList();
            case HomePath named -> named.in(home);
            default -> value;
        };
    }

    /// Where a key was given; for other keys the mark of a default.
    public SourcePlace place(String dotted) {
        return given(schema.key(dotted)).map(Value::place).orElse(SourcePlace.DEFAULT);
    }

    /// False when a value was refused and a default replaces it: conclusions from it would be
    /// wrong.
    public boolean isSound(String... dotted) {
        return List.of(dotted).stream().map(schema::key).map(Key::dotted).noneMatch(refused::contains);
    }

    public boolean isGiven(String dotted) {
        return given(schema.key(dotted)).isPresent();
    }

    /// The first of two keys that is given, to which a contradiction between them is attributed.
    public String givenOf(String first, String second) {
        return isGiven(first) ? first : second;
    }

    /// The entries of a section with free keys.
    public Map<String, Value> table(String section) {
        Map<String, Value> table = new LinkedHashMap<>();
        given.forEach((path, value) -> {
            if (path.size() == 2 && path.getFirst().equals(section)) {
                table.put(path.getLast(), value);
            }
        });
        return table;
    }

    public Written written() {
        List<EffectiveSetting> settings = new ArrayList<>();
        schema.keys().forEach(key -> settings.add(effective(key)));
        given.forEach((path, value) -> {
            boolean declared = schema.keys(path.getFirst()).anyMatch(key -> key.name().equals(path.getLast()));
            if (path.size() == 2 && !declared && (schema.isFree(path.getFirst()) || schema.isNested(path.getFirst()))) {
                settings.add(effective(path.getFirst(), path.getLast(), value));
            }
        });
        return new Written(settings);
    }

    private EffectiveSetting effective(Key key) {
        Value standard = key.defaultValue((String) Objects.requireNonNull(read.get(HOSTNAME)));
        Value value = given(key).orElse(standard);
        Object meaning = Objects.requireNonNull(read.get(key.dotted()));
        return new EffectiveSetting(key.dotted(), meaning, value.toToml(), standard.toToml(),
                !key.form().read(standard, key.dotted(), new Complaints()).map(meaning::equals).orElse(false),
                value.place().toString(), key.doc(), key.declared().restart());
    }

    /// A key of a section whose names the operator chooses.
    private EffectiveSetting effective(String section, String name, Value value) {
        Optional<Key> key = schema.find(section, name);
        return new EffectiveSetting(section + "." + name, value.toToml(), value.toToml(), "", true,
                value.place().toString(),
                key.map(Key::doc).orElseGet(
                        () -> Optional.ofNullable(schema.sections().get(section)).map(SchemaSection::doc).orElse("")),
                key.map(each -> each.declared().restart()).orElse(""));
    }

    private Optional<Value> given(Key key) {
        return Optional.ofNullable(given.get(path(key)));
    }

    private static List<String> path(Key key) {
        return key.section().isEmpty() ? List.of(key.name()) : List.of(key.section(), key.name());
    }
}
