package org.slipstream.server.config;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// What every key came to: the value that was given, or the default.
final class Values {
    private final Map<List<String>, Value> given = new LinkedHashMap<>();
    private final Map<Key<?>, Object> read = new LinkedHashMap<>();
    private final Set<Key<?>> refused = new HashSet<>();

    /// @param entries later ones replace earlier ones of the same key
    Values(List<SettingEntry> entries, String machine, Complaints complaints) {
        entries.forEach(entry -> given.put(entry.path(), entry.value()));
        read(Keys.HOSTNAME, machine, complaints);
        String hostname = get(Keys.HOSTNAME);
        Keys.all().stream().filter(key -> key != Keys.HOSTNAME).forEach(key -> read(key, hostname, complaints));
    }

    private <T> void read(Key<T> key, String name, Complaints complaints) {
        Value standard = key.standard().apply(name);
        Optional<T> value = key.form().read(given(key).orElse(standard), key.dotted(), complaints);
        if (value.isEmpty()) {
            refused.add(key);
        }
        // A refused value is replaced by the default so that the other checks can go on; the whole is refused anyway.
        read.put(key, value.or(() -> key.form().read(standard, key.dotted(), complaints)).orElseThrow());
    }

    @SuppressWarnings("unchecked")
    <T> T get(Key<T> key) {
        return (T) read.get(key);
    }

    /// Where a key was given; for keys that were not, where the file is.
    SourcePlace place(Key<?> key) {
        return given(key).map(Value::place).orElse(SourcePlace.DEFAULT);
    }

    /// False when the value was refused and a default stands in: then conclusions from it would be wrong.
    boolean isSound(Key<?>... keys) {
        return Set.of(keys).stream().noneMatch(refused::contains);
    }

    boolean isGiven(Key<?> key) {
        return given(key).isPresent();
    }

    /// The entries of a section with free keys.
    Map<String, Value> table(String section) {
        Map<String, Value> table = new LinkedHashMap<>();
        given.forEach((path, value) -> {
            if (path.size() == 2 && path.getFirst().equals(section)) {
                table.put(path.getLast(), value);
            }
        });
        return table;
    }

    Written written() {
        return new Written(given.entrySet().stream().collect(Collectors.toMap(
                entry -> String.join(".", entry.getKey()), entry -> entry.getValue().place().toString(),
                (earlier, later) -> later)));
    }

    private Optional<Value> given(Key<?> key) {
        List<String> path = key.section().isEmpty() ? List.of(key.name()) : List.of(key.section(), key.name());
        return Optional.ofNullable(given.get(path));
    }
}
