package org.slipstream.settings;

import org.slipstream.core.DataSize;
import org.slipstream.core.text.Nearest;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// One table of a TOML file, read key by key, for files that no record declares: scenarios of the
/// laboratory and scripts of the sink.
///
/// An invalid value is a [TomlMistake] with file, line and remedy. So is a key that the reader has not
/// requested before [#end]. The first mistake ends the reading.
public final class TomlSection {
    private static final long LONGEST_MILLIS = 366L * 86_400_000;
    private static final int MANY = 1_000_000;
    private static final int MOST_COUNT = 1_000_000_000;
    private static final Map<String, Long> UNITS = Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d",
            86_400_000L);
    private static final Pattern TIME = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,3})?) ?(ms|s|m|h|d)");
    private static final TomlTable EMPTY = Toml.parse("");

    private final String file;
    private final String title;
    private final String path;
    private final int line;
    private final TomlTable table;
    private final Changes changes;
    private final Set<String> known = new TreeSet<>();

    /// A key with a free name, such as a domain, and its value.
    public record NamedValue(String name, Object value, int line) {}

    /// Values that replace those of the file, by path: `servers.default.sessions`.
    public interface Changes {
        /// No changes.
        Changes NONE = new Changes() {
            @Override
            public Optional<Object> value(String path) {
                return Optional.empty();
            }

            @Override
            public Optional<String> text(String path) {
                return Optional.empty();
            }

            @Override
            public boolean isBelow(String section) {
                return false;
            }

            @Override
            public Set<String> sectionsBelow(String section) {
                return Set.of();
            }
        };

        Optional<Object> value(String path);

        /// The change of this key, as the user wrote it.
        Optional<String> text(String path);

        /// Whether a key of this section has changed.
        boolean isBelow(String section);

        /// Subsections with a changed key.
        Set<String> sectionsBelow(String section);
    }

    /// Settings of earlier versions that have no successor, with the way out.
    private static final Map<String, String> GONE = Map.of("spool.index",
            "is no setting any more: delete this line; the index is a file again, which the next start makes from the"
                    + " messages (for messages in PostgreSQL see spool.engine)");

    private TomlSection(String file, String title, String path, int line, TomlTable table, Changes changes) {
        this.file = file;
        this.title = title;
        this.path = path;
        this.line = line;
        this.table = table;
        this.changes = changes;
    }

    /// The whole file.
    ///
    /// @param name of the file, for messages
    /// @param key of a time, for the example in messages
    public static TomlSection of(String name, String text, String key, Changes changes) {
        OptionalInt tooDeep = TomlNesting.tooDeep(text);
        if (tooDeep.isPresent()) {
            throw new TomlMistake(name + ":" + tooDeep.getAsInt() + ": nested deeper than " + TomlNesting.MOST_DEPTH
                    + "; write tables with names");
        }
        TomlParseResult toml = Toml.parse(text);
        if (toml.hasErrors()) {
            TomlParseError error = toml.errors().getFirst();
            throw new TomlMistake(name + ":" + error.position().line() + ": not TOML: "
                    + String.valueOf(error.getMessage()).replaceFirst(", expected .*", "")
                    + "; write texts and times in quotes, for example " + key + " = \"10s\"");
        }
        return new TomlSection(name, "", "", 1, toml, changes);
    }

    /// A section without keys, so that each has its default.
    public static TomlSection empty(String name) {
        return new TomlSection("", name, name, 1, EMPTY, Changes.NONE);
    }

    /// A time such as `250ms`, `1.5s` or `10m`, in milliseconds.
    public static Optional<Long> millis(String text) {
        Matcher form = TIME.matcher(text.strip());
        return form.matches()
                ? Optional.of(Math.round(Double.parseDouble(form.group(1))
                        * Objects.requireNonNull(UNITS.get(form.group(2)))))
                : Optional.empty();
    }

    public int line() {
        return line;
    }

    /// The lines of all keys, for messages of later readers.
    public Map<String, Integer> lines() {
        Map<String, Integer> lines = new TreeMap<>();
        table.keySet().forEach(key -> lines.put(path(key), line(key)));
        return lines;
    }

    public TomlMistake wrong(String sentence) {
        return wrong(line, sentence);
    }

    public TomlMistake wrong(int where, String sentence) {
        return new TomlMistake(file + ":" + where + ": " + sentence);
    }

    public TomlMistake wrong(String key, String sentence) {
        String what = (title.isEmpty() ? "" : title + ": ") + key + " " + sentence;
        return changes.text(path(key)).map(text -> new TomlMistake(file + " with " + text + ": " + what))
                .orElseGet(() -> wrong(line(key), what));
    }

    private int line(String key) {
        TomlPosition position = table.inputPositionOf(List.of(key));
        return position == null ? line : position.line();
    }

    private String path(String key) {
        return (path.isEmpty() ? "" : path + ".") + key;
    }

    public boolean has(String key) {
        known.add(key);
        return changes.value(path(key)).isPresent() || table.contains(List.of(key));
    }

    private Optional<Object> value(String key) {
        known.add(key);
        return changes.value(path(key)).or(() -> Optional.ofNullable(table.get(List.of(key))));
    }

    public Optional<String> text(String key) {
        return value(key).map(value -> {
            if (value instanceof String text) {
                return text;
            }
            throw wrong(key, "is a text; write it in quotes: " + key + " = \"" + value + "\"");
        });
    }

    public String need(String key) {
        return text(key).orElseThrow(() -> wrong((title.isEmpty() ? "the file" : title) + " has no " + key
                + "; add " + key + " = \"…\""));
    }

    /// A whole number from 1.
    public OptionalInt count(String key) {
        return has(key) ? OptionalInt.of((int) count(key, 1, MOST_COUNT, 3)) : OptionalInt.empty();
    }

    public int count(String key, int least, int otherwise) {
        return (int) count(key, least, MANY, otherwise);
    }

    public long count(String key, long least, long most, long otherwise) {
        return value(key).map(value -> {
            if (value instanceof Long number && number >= least && number <= most) {
                return number;
            }
            throw wrong(key, "= " + shown(value) + " is not a whole number from " + least + " to " + most
                    + "; write for example " + key + " = " + Math.max(least, Math.min(most, otherwise)));
        }).orElse(otherwise);
    }

    /// A number from 0 to 1.
    public double share(String key, double otherwise) {
        return value(key).map(value -> {
            double share = value instanceof Number number ? number.doubleValue() : -1;
            if (!(share >= 0 && share <= 1)) {
                throw wrong(key, "= " + shown(value) + " is not a share from 0 to 1; write for example " + key
                        + " = 0.25");
            }
            return share;
        }).orElse(otherwise);
    }

    public Optional<Duration> time(String key) {
        return value(key).map(value -> Optional.of(value).filter(String.class::isInstance)
                .flatMap(text -> millis((String) text)).filter(millis -> millis <= LONGEST_MILLIS)
                .map(Duration::ofMillis).orElseThrow(() -> wrong(key, "= " + shown(value)
                        + " is not a time of at most a year; write a number with a unit, for example " + key
                        + " = \"10s\"")));
    }

    public long millis(String key, long otherwise) {
        return time(key).map(Duration::toMillis).orElse(otherwise);
    }

    public Optional<DataSize> size(String key) {
        return parsed(key, DataSize::parse,
                "is not a size; write a number with a unit, for example " + key + " = \"10KiB\"");
    }

    /// A value with a notation of its own.
    ///
    /// @param mistake behind `key = value`
    public <T> Optional<T> parsed(String key, Function<String, Optional<T>> parse, String mistake) {
        return value(key).map(value -> parse.apply(value.toString())
                .orElseThrow(() -> wrong(key, "= " + shown(value) + " " + mistake)));
    }

    public <E> Optional<E> oneOf(String key, Map<String, E> choices) {
        return text(key).map(word -> choice(key, word, choices));
    }

    /// A word, or a list of words.
    public <E> List<E> someOf(String key, Map<String, E> choices) {
        return texts(key).stream().map(word -> choice(key, word, choices)).toList();
    }

    private <E> E choice(String key, String word, Map<String, E> choices) {
        return Optional.ofNullable(choices.get(word)).orElseThrow(
                () -> wrong(key, "= \"" + word + "\" is unknown" + Nearest.hint(word, choices.keySet())));
    }

    /// A text, or a list of texts.
    public List<String> texts(String key) {
        Object value = value(key).orElse("");
        if (value instanceof TomlArray array && array.toList().stream().allMatch(String.class::isInstance)) {
            return array.toList().stream().map(String.class::cast).toList();
        }
        if (value instanceof String text) {
            return text.isEmpty() ? List.of() : List.of(text);
        }
        throw wrong(key, "= " + shown(value) + " is not a list of texts; write " + key + " = [\"…\"]");
    }

    /// The section with this name. A changed key in a section that the file does not have adds that
    /// section.
    public Optional<TomlSection> section(String key) {
        return value(key).or(() -> Optional.of((Object) EMPTY).filter(_ -> changes.isBelow(path(key)))).map(value -> {
            if (value instanceof TomlTable inner) {
                return new TomlSection(file, path(key), path(key), line(key), inner, changes);
            }
            throw wrong(key, "is a section; write [" + path(key) + "] on a line of its own, or { … }");
        });
    }

    /// The tables of `[[key]]`, or of a list of `{…}`.
    public List<TomlSection> sections(String key) {
        return value(key).map(value -> sections(key, value)).orElse(List.of());
    }

    private List<TomlSection> sections(String key, Object value) {
        if (!(value instanceof TomlArray array)) {
            throw wrong(key, "is a list; write [[" + path(key) + "]] with double brackets");
        }
        List<TomlSection> sections = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            if (!(array.get(i) instanceof TomlTable inner)) {
                throw wrong(key, "is a list of tables; write [[" + path(key) + "]] or { … }");
            }
            String name = inner.get(List.of("name")) instanceof String own ? own : Integer.toString(i + 1);
            sections.add(new TomlSection(file, key + " " + (i + 1), path(key) + "." + name,
                    firstLine(inner, line(key)), inner, changes));
        }
        return sections;
    }

    private static int firstLine(TomlTable inner, int otherwise) {
        return inner.keySet().stream().map(key -> Optional.ofNullable(inner.inputPositionOf(List.of(key))))
                .flatMap(Optional::stream).mapToInt(TomlPosition::line).min().orElse(otherwise);
    }

    /// Names of the subsections. They count as requested.
    public List<String> tables() {
        Set<String> names = new TreeSet<>(changes.sectionsBelow(path));
        table.keySet().stream().filter(key -> table.get(List.of(key)) instanceof TomlTable).forEach(names::add);
        known.addAll(names);
        return List.copyOf(names);
    }

    /// All keys with their values.
    public List<NamedValue> all() {
        List<NamedValue> all = new ArrayList<>();
        for (String key : table.keySet()) {
            all.add(new NamedValue(key, value(key).orElseThrow(), line(key)));
        }
        return all;
    }

    public List<NamedValue> all(String key) {
        return section(key).map(TomlSection::all).orElse(List.of());
    }

    /// Fails if a key was not requested.
    public void end() {
        for (String key : table.keySet()) {
            if (!known.contains(key) && GONE.containsKey(path(key))) {
                throw wrong(line(key), "\"" + path(key) + "\" " + GONE.get(path(key)));
            }
            if (!known.contains(key)) {
                throw wrong(line(key), "unknown key \"" + key + "\"" + (title.isEmpty() ? "" : " in " + title)
                        + Nearest.hint(key, known));
            }
        }
    }

    private static String shown(Object value) {
        return value instanceof String text ? "\"" + text + "\"" : String.valueOf(value);
    }
}
