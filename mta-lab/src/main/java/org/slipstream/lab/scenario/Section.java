package org.slipstream.lab.scenario;

import org.slipstream.core.text.Nearest;
import org.slipstream.lab.Latency;
import org.slipstream.qmgr.flow.Feedback;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// One table of a scenario file, read key by key. An invalid value causes a [ScenarioMistake] with
/// file, line and remedy. So does a key that no reader has requested before [#end].
final class Section {
    private static final int MANY = 1_000_000;
    private static final long LONGEST_MILLIS = 366L * 86_400_000;

    /// A key with a free name, such as a domain, and its value.
    record NamedValue(String name, Object value, int line) {}

    private static final TomlTable EMPTY = Toml.parse("");

    private final String file;
    private final String title;
    private final String path;
    private final int line;
    private final TomlTable table;
    private final ChangedKeys changed;
    private final Set<String> known = new TreeSet<>();

    /// The whole file.
    Section(String file, TomlTable table, ChangedKeys changed) {
        this(file, "", "", 1, table, changed);
    }

    private Section(String file, String title, String path, int line, TomlTable table, ChangedKeys changed) {
        this.file = file;
        this.title = title;
        this.path = path;
        this.line = line;
        this.table = table;
        this.changed = changed;
    }

    /// An empty section: every key has its default.
    static Section ofDefaults() {
        return new Section("", EMPTY, ChangedKeys.none());
    }

    int line() {
        return line;
    }

    boolean has(String key) {
        known.add(key);
        return changed.value(path(key)).isPresent() || table.contains(List.of(key));
    }

    ScenarioMistake wrong(String sentence) {
        return wrong(line, sentence);
    }

    ScenarioMistake wrong(int where, String sentence) {
        return new ScenarioMistake(file + ":" + where + ": " + sentence);
    }

    ScenarioMistake wrong(String key, String sentence) {
        String what = (title.isEmpty() ? "" : title + ": ") + key + " " + sentence;
        return changed.text(path(key)).map(text -> new ScenarioMistake(file + " with " + text + ": " + what))
                .orElseGet(() -> wrong(line(key), what));
    }

    private int line(String key) {
        TomlPosition position = table.inputPositionOf(List.of(key));
        return position == null ? line : position.line();
    }

    private String path(String key) {
        return (path.isEmpty() ? "" : path + ".") + key;
    }

    private Optional<Object> value(String key) {
        known.add(key);
        return changed.value(path(key)).or(() -> Optional.ofNullable(table.get(List.of(key))));
    }

    Optional<String> text(String key) {
        return value(key).map(value -> {
            if (value instanceof String text) {
                return text;
            }
            throw wrong(key, "is a text; write it in quotes: " + key + " = \"" + value + "\"");
        });
    }

    String need(String key) {
        return text(key).orElseThrow(() -> wrong((title.isEmpty() ? "the file" : title) + " has no " + key
                + "; add " + key + " = \"…\""));
    }

    /// A name that can be part of a sequence.
    Optional<String> name(String key) {
        return text(key).map(name -> {
            if (!name.matches("[^\\s()×#]{1,24}")) {
                throw wrong(key, "= \"" + name + "\" is not a name; use at most 24 characters without spaces");
            }
            return name;
        });
    }

    int count(String key, int least, int otherwise) {
        return (int) count(key, least, MANY, otherwise);
    }

    long count(String key, long least, long most, long otherwise) {
        return value(key).map(value -> {
            if (value instanceof Long number && number >= least && number <= most) {
                return number;
            }
            throw wrong(key, "= " + shown(value) + " is not a whole number from " + least + " to " + most
                    + "; write for example " + key + " = " + Math.max(least, Math.min(most, otherwise)));
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
        }).orElse(0.0);
    }

    long time(String key, long otherwise) {
        return value(key).map(value -> Optional.of(value).filter(String.class::isInstance)
                .flatMap(text -> Times.parse((String) text)).filter(millis -> millis <= LONGEST_MILLIS)
                .orElseThrow(() -> wrong(key, "= " + shown(value)
                        + " is not a time of at most a year; write a number with a unit, for example " + key
                        + " = \"10s\"")))
                .orElse(otherwise);
    }

    Latency latency(String key, Latency otherwise) {
        return text(key).map(text -> Times.latency(text)
                .orElseThrow(() -> wrong(key, "= \"" + text
                        + "\" is not a time; write \"2s\", \"1s .. 3s\" (uniform) or \"exp 2s\" (exponential with mean 2 s)")))
                .orElse(otherwise);
    }

    Feedback feedback(String key, Feedback otherwise) {
        return value(key)
                .map(value -> Feedback.parse(value.toString()).orElseThrow(() -> wrong(key, "= " + shown(value)
                        + " is not a feedback from 0 to 1; write \"1/concurrency\", \"1/sqrt_concurrency\", \"1/4\""
                        + " or \"0.5\"")))
                .orElse(otherwise);
    }

    <E> E oneOf(String key, Map<String, E> choices, E otherwise) {
        return text(key).map(text -> {
            if (!choices.containsKey(text)) {
                throw wrong(key, "= \"" + text + "\" is unknown" + Nearest.hint(text, choices.keySet()));
            }
            return choices.get(text);
        }).orElse(otherwise);
    }

    /// The section with this name. A changed key in a section that the file does not have adds that
    /// section.
    Optional<Section> section(String key) {
        return value(key).or(() -> Optional.of((Object) EMPTY).filter(_ -> changed.isBelow(path(key)))).map(value -> {
            if (value instanceof TomlTable inner) {
                return new Section(file, path(key), path(key), line(key), inner, changed);
            }
            throw wrong(key, "is a section; write [" + path(key) + "] on a line of its own");
        });
    }

    /// The tables of `[[key]]`, or of a list of `{…}`.
    List<Section> sections(String key) {
        return value(key).map(value -> sections(key, value)).orElse(List.of());
    }

    private List<Section> sections(String key, Object value) {
        if (!(value instanceof TomlArray array)) {
            throw wrong(key, "is a list; write [[" + path(key) + "]] with double brackets");
        }
        List<Section> sections = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            if (!(array.get(i) instanceof TomlTable inner)) {
                throw wrong(key, "is a list of tables; write [[" + path(key) + "]] or { … }");
            }
            String name = inner.get(List.of("name")) instanceof String own ? own : Integer.toString(i + 1);
            sections.add(new Section(file, key + " " + (i + 1), path(key) + "." + name, firstLine(inner, line(key)),
                    inner, changed));
        }
        return sections;
    }

    private static int firstLine(TomlTable inner, int otherwise) {
        return inner.keySet().stream().map(key -> inner.inputPositionOf(List.of(key))).filter(p -> p != null)
                .mapToInt(TomlPosition::line).min().orElse(otherwise);
    }

    /// Names of the subsections. They count as requested.
    List<String> tables() {
        Set<String> names = new TreeSet<>(changed.sectionsBelow(path));
        table.keySet().stream().filter(key -> table.get(List.of(key)) instanceof TomlTable).forEach(names::add);
        known.addAll(names);
        return List.copyOf(names);
    }

    /// All keys with their values.
    List<NamedValue> all() {
        List<NamedValue> all = new ArrayList<>();
        for (String key : table.keySet()) {
            all.add(new NamedValue(key, value(key).orElseThrow(), line(key)));
        }
        return all;
    }

    List<NamedValue> all(String key) {
        return section(key).map(Section::all).orElse(List.of());
    }

    /// Fails if a key was not requested.
    void end() {
        for (String key : table.keySet()) {
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
