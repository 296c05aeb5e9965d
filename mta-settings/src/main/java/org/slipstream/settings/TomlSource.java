package org.slipstream.settings;

import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The text of `mta.toml` as entries with their lines. It is the only class that uses the TOML
/// library.
///
/// After a syntax error the library continues with the rest. Its entries are kept, so that one run
/// finds more than one mistake. Two kinds are dropped because they would confuse: values on a line
/// that is itself wrong, and everything below a wrong section header, which would be searched in
/// another section.
public final class TomlSource {
    private static final Pattern BARE_TEXT = Pattern
            .compile("\\s*([^=\\s]+)\\s*=\\s*([^\"'\\[{#=\\s][^\"'#=]*?)\\s*(#.*)?");

    private final Schema schema;
    private final String source;
    private final List<String> lines;
    private final Complaints complaints;
    private final List<SettingEntry> entries = new ArrayList<>();
    private final Set<Integer> wrongLines = new HashSet<>();
    private int lastSoundLine = Integer.MAX_VALUE;

    private TomlSource(Schema schema, String source, String text, Complaints complaints) {
        this.schema = schema;
        this.source = source;
        this.lines = text.lines().toList();
        this.complaints = complaints;
    }

    public static List<SettingEntry> read(Schema schema, String source, String text, Complaints complaints) {
        TomlSource reading = new TomlSource(schema, source, text, complaints);
        OptionalInt tooDeep = TomlNesting.tooDeep(text);
        if (tooDeep.isPresent()) {
            complaints.add(new SourcePlace(source, tooDeep.getAsInt()), "",
                    "not TOML for settings: nested deeper than " + TomlNesting.MOST_DEPTH);
            return List.of();
        }
        TomlParseResult toml = Toml.parse(text);
        toml.errors().forEach(reading::syntaxError);
        toml.keySet().forEach(name -> reading.topLevel(toml, name));
        return reading.entries;
    }

    private void syntaxError(TomlParseError error) {
        int line = error.position().line();
        String text = line <= lines.size() ? lines.get(line - 1) : "";
        if (text.stripLeading().startsWith("[")) {
            lastSoundLine = Math.min(lastSoundLine, line - 1);
        }
        // Several errors on a line come from one mistake.
        if (wrongLines.add(line)) {
            complaints.add(new SourcePlace(source, line), "",
                    "not TOML: " + shortened(String.valueOf(error.getMessage())),
                    String.valueOf(error.getMessage()).startsWith("Unexpected") ? inQuotes(text) : Optional.empty());
        }
    }

    /// The library lists every token that could have stood there, which is of no use to an
    /// operator.
    private static String shortened(String message) {
        int expected = message.indexOf(", expected ");
        return expected > 0 && message.length() - expected > 40 ? message.substring(0, expected) : message;
    }

    private static Optional<String> inQuotes(String line) {
        Matcher matcher = BARE_TEXT.matcher(line);
        return matcher.matches()
                ? Optional.of("texts and amounts with a unit stand in quotes: " + matcher.group(1) + " = \""
                        + matcher.group(2) + "\"")
                : Optional.empty();
    }

    private boolean isSound(SourcePlace place) {
        return !wrongLines.contains(place.line()) && place.line() <= lastSoundLine;
    }

    private void topLevel(TomlParseResult toml, String name) {
        SourcePlace place = place(toml, List.of(name));
        if (!isSound(place) && !schema.isSection(name)) {
            return;
        }
        Object value = valueOf(toml, name);
        if (schema.isSection(name)) {
            section(toml, name, value, place);
        } else if (value instanceof TomlTable) {
            complaints.add(place, name, "unknown section [" + name + "]", schema.meantSection(name));
        } else {
            leaf(toml, "", name, value, place);
        }
    }

    private void section(TomlParseResult toml, String section, Object value, SourcePlace place) {
        if (!(value instanceof TomlTable table)) {
            complaints.add(place, section, section + " is a section, not a value",
                    Optional.of("write [" + section + "] on a line of its own"));
            return;
        }
        for (String name : table.keySet()) {
            SourcePlace where = place(toml, List.of(section, name));
            if (schema.isNested(section) && valueOf(table, name) instanceof TomlTable inner) {
                nested(toml, section, name, inner);
            } else if (isSound(where)) {
                leaf(toml, section, name, valueOf(table, name), where);
            }
        }
    }

    private void nested(TomlParseResult toml, String section, String name, TomlTable table) {
        for (String key : table.keySet()) {
            SourcePlace where = place(toml, List.of(section, name, key));
            if (isSound(where)) {
                leaf(toml, section, name + "." + key, valueOf(table, key), where);
            }
        }
    }

    private void leaf(TomlParseResult toml, String section, String name, Object value, SourcePlace place) {
        String dotted = section.isEmpty() ? name : section + "." + name;
        if (!schema.isKey(section, name)) {
            complaints.add(place, dotted, "unknown key \"" + dotted + "\"", schema.meant(section, name));
        } else if (schema.isFree(section) && value instanceof TomlTable table) {
            String inner = String.join(".", table.keyPathSet().iterator().next());
            complaints.add(place, dotted, "a name with dots in [" + section + "] stands in quotes",
                    Optional.of("write \"" + name + "." + inner + "\" = …"));
        } else {
            entries.add(SettingEntry.of(section, name, value(value, place)));
        }
    }

    /// @param name one of the table's keys
    private static Object valueOf(TomlTable table, String name) {
        return Objects.requireNonNull(table.get(List.of(name)));
    }

    private SourcePlace place(TomlTable table, List<String> path) {
        var position = table.inputPositionOf(path);
        return new SourcePlace(source, position == null ? 0 : position.line());
    }

    private Value value(Object value, SourcePlace place) {
        return switch (value) {
            case String text -> new Value.Text(text, place);
            case Long number -> new Value.Number(number, place);
            case Boolean flag -> new Value.Flag(flag, place);
            case TomlArray array -> many(array, place);
            case TomlTable _ -> new Value.Other("{…}", place);
            default -> new Value.Other(value.toString(), place);
        };
    }

    private Value many(TomlArray array, SourcePlace place) {
        List<Value> items = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            items.add(value(array.get(i), new SourcePlace(source, lineOf(array.inputPositionOf(i)))));
        }
        return new Value.Many(items, place);
    }

    /// The library gives the end of the separator before an item. The item itself may be some lines
    /// below.
    private int lineOf(TomlPosition position) {
        int line = position.line();
        int from = position.column() - 1;
        while (line < lines.size() && isBlank(lines.get(line - 1), from)) {
            line++;
            from = 0;
        }
        return line;
    }

    private static boolean isBlank(String line, int from) {
        String rest = from < line.length() ? line.substring(from).strip() : "";
        return rest.isEmpty() || rest.startsWith("#");
    }
}
