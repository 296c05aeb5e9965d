package org.slipstream.sink.script;

import org.slipstream.core.DataSize;
import org.slipstream.core.Units;
import org.slipstream.core.text.Nearest;
import org.tomlj.TomlArray;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Set;

/// One table of a script, read key by key. An invalid value is a [ScriptMistake] with file, line and
/// remedy; so is a key that the reader has not requested before [#end].
final class ScriptTable {
    private static final long LONGEST_MILLIS = 366L * 86_400_000;

    private final String file;
    private final String title;
    private final int line;
    private final TomlTable table;
    private final Set<String> known = new TreeSet<>();

    ScriptTable(String file, String title, int line, TomlTable table) {
        this.file = file;
        this.title = title;
        this.line = line;
        this.table = table;
    }

    int line() {
        return line;
    }

    /// The lines of all keys, for messages of later readers.
    Map<String, Integer> lines() {
        Map<String, Integer> lines = new TreeMap<>();
        table.keySet().forEach(key -> lines.put(title.isEmpty() ? key : title + "." + key, line(key)));
        return lines;
    }

    private int line(String key) {
        TomlPosition position = table.inputPositionOf(List.of(key));
        return position == null ? line : position.line();
    }

    ScriptMistake wrong(String sentence) {
        return new ScriptMistake(file + ":" + line + ": " + sentence);
    }

    ScriptMistake wrong(String key, String sentence) {
        return new ScriptMistake(
                file + ":" + line(key) + ": " + (title.isEmpty() ? "" : title + ": ") + key + " " + sentence);
    }

    boolean has(String key) {
        known.add(key);
        return table.contains(List.of(key));
    }

    private Optional<Object> value(String key) {
        known.add(key);
        return Optional.ofNullable(table.get(List.of(key)));
    }

    Optional<String> text(String key) {
        return value(key).map(value -> {
            if (value instanceof String text) {
                return text;
            }
            throw wrong(key, "is a text; write it in quotes: " + key + " = \"" + value + "\"");
        });
    }

    boolean flag(String key) {
        return value(key).map(value -> {
            if (value instanceof Boolean flag) {
                return flag;
            }
            throw wrong(key, "= " + shown(value) + " is neither true nor false; write " + key + " = true");
        }).orElse(false);
    }

    OptionalInt count(String key) {
        Optional<Integer> count = value(key).map(value -> {
            if (value instanceof Long number && number >= 1 && number <= 1_000_000_000) {
                return number.intValue();
            }
            throw wrong(key, "= " + shown(value) + " is not a whole number from 1; write for example " + key + " = 3");
        });
        return count.map(OptionalInt::of).orElseGet(OptionalInt::empty);
    }

    int limit(String key) {
        return count(key).orElse(Integer.MAX_VALUE);
    }

    long number(String key, long otherwise) {
        return value(key).map(value -> {
            if (value instanceof Long number) {
                return number;
            }
            throw wrong(key, "= " + shown(value) + " is not a whole number; write for example " + key + " = 1");
        }).orElse(otherwise);
    }

    double share(String key) {
        return value(key).map(value -> {
            double share = value instanceof Number number ? number.doubleValue() : -1;
            if (!(share >= 0 && share <= 1)) {
                throw wrong(key, "= " + shown(value) + " is not a share from 0 to 1; write for example " + key
                        + " = 0.25");
            }
            return share;
        }).orElse(1.0);
    }

    Optional<Duration> time(String key) {
        return value(key).map(value -> Optional.of(value).filter(String.class::isInstance)
                .flatMap(text -> Units.DURATIONS.parse((String) text)).filter(millis -> millis <= LONGEST_MILLIS)
                .map(Duration::ofMillis).orElseThrow(() -> wrong(key, "= " + shown(value)
                        + " is not a time of at most a year; write a number with a unit, for example " + key
                        + " = \"10s\"")));
    }

    Optional<DataSize> size(String key) {
        return value(key).map(value -> DataSize.parse(value.toString()).orElseThrow(() -> wrong(key, "= "
                + shown(value) + " is not a size; write a number with a unit, for example " + key + " = \"10KiB\"")));
    }

    <E> Optional<E> oneOf(String key, Map<String, E> choices) {
        return text(key).map(word -> choice(key, word, choices));
    }

    /// A word, or a list of words.
    <E> List<E> someOf(String key, Map<String, E> choices) {
        return texts(key).stream().map(word -> choice(key, word, choices)).toList();
    }

    private <E> E choice(String key, String word, Map<String, E> choices) {
        return Optional.ofNullable(choices.get(word)).orElseThrow(
                () -> wrong(key, "= \"" + word + "\" is unknown" + Nearest.hint(word, choices.keySet())));
    }

    List<String> texts(String key) {
        Object value = value(key).orElse("");
        if (value instanceof TomlArray array && !array.isEmpty() && array.toList().stream()
                .allMatch(String.class::isInstance)) {
            return array.toList().stream().map(String.class::cast).toList();
        }
        if (value instanceof TomlArray array && array.isEmpty()) {
            return List.of();
        }
        if (value instanceof String text) {
            return text.isEmpty() ? List.of() : List.of(text);
        }
        throw wrong(key, "= " + shown(value) + " is not a list of texts; write " + key + " = [\"…\"]");
    }

    Optional<ScriptTable> table(String key) {
        return value(key).map(value -> {
            if (value instanceof TomlTable inner) {
                return new ScriptTable(file, key, line(key), inner);
            }
            throw wrong(key, "is a section; write [" + key + "] on a line of its own, or { … }");
        });
    }

    List<ScriptTable> tables(String key) {
        Object value = value(key).orElse(null);
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof TomlArray array)) {
            throw wrong(key, "is a list; write [[" + key + "]] with double brackets");
        }
        List<ScriptTable> tables = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            if (!(array.get(i) instanceof TomlTable inner)) {
                throw wrong(key, "is a list of tables; write [[" + key + "]] or { … }");
            }
            tables.add(new ScriptTable(file, key + " " + (i + 1), firstLine(inner, line(key)), inner));
        }
        return tables;
    }

    private static int firstLine(TomlTable inner, int otherwise) {
        return inner.keySet().stream().map(key -> inner.inputPositionOf(List.of(key))).filter(Objects::nonNull)
                .mapToInt(TomlPosition::line).min().orElse(otherwise);
    }

    /// Fails if a key was not requested.
    void end() {
        table.keySet().stream().filter(key -> !known.contains(key)).findFirst().ifPresent(key -> {
            throw new ScriptMistake(file + ":" + line(key) + ": unknown key \"" + key + "\""
                    + (title.isEmpty() ? "" : " in " + title) + hint(key, known));
        });
    }

    private static String hint(String key, Collection<String> known) {
        return Nearest.hint(key, known);
    }

    private static String shown(Object value) {
        return value instanceof String text ? "\"" + text + "\"" : String.valueOf(value);
    }
}
