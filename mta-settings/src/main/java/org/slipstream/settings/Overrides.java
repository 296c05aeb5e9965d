package org.slipstream.settings;

import org.tomlj.Toml;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Lines `key=value`: those of `--set` and of [SettingsSource#VARIABLE]. The key is dotted as in `queue.lanes` or
/// `transport.smtp.lanes`. In sections whose names the operator chooses the rest after the first dot is one name, with
/// or without quotes, because shells remove them.
public final class Overrides {
    private final Schema schema;
    private final Complaints complaints;

    public Overrides(Schema schema, Complaints complaints) {
        this.schema = schema;
        this.complaints = complaints;
    }

    public List<SettingEntry> ofCommandLine(List<String> overrides) {
        List<SettingEntry> entries = new ArrayList<>();
        overrides.forEach(override -> read(override, SourcePlace.OVERRIDE).ifPresent(entries::add));
        return entries;
    }

    /// Empty lines and lines that begin with # are left out, because a block of text in a unit or a compose file
    /// has them.
    public List<SettingEntry> ofEnvironment(List<String> lines) {
        List<SettingEntry> entries = new ArrayList<>();
        for (int line = 0; line < lines.size(); line++) {
            String text = lines.get(line).strip();
            if (!text.isEmpty() && !text.startsWith("#")) {
                read(text, new SourcePlace(SettingsSource.VARIABLE, line + 1)).ifPresent(entries::add);
            }
        }
        return entries;
    }

    private Optional<SettingEntry> read(String override, SourcePlace place) {
        int equals = divider(override);
        if (equals <= 0) {
            complaints.add(place, "", "\"" + override + "\" is not key=value");
            return Optional.empty();
        }
        Optional<List<String>> path = path(override.substring(0, equals).strip());
        if (path.isEmpty()) {
            complaints.add(place, "", "\"" + override.substring(0, equals) + "\" is not a key");
            return Optional.empty();
        }
        return entry(path.get(), override.substring(equals + 1), place);
    }

    /// The first equals sign outside of quotes.
    private static int divider(String override) {
        boolean quoted = false;
        for (int i = 0; i < override.length(); i++) {
            if (override.charAt(i) == '"') {
                quoted = !quoted;
            } else if (override.charAt(i) == '=' && !quoted) {
                return i;
            }
        }
        return -1;
    }

    private Optional<List<String>> path(String key) {
        int dot = key.indexOf('.');
        if (dot > 0 && !key.contains("\"") && hasNames(key.substring(0, dot))) {
            return Optional.of(List.of(key.substring(0, dot), key.substring(dot + 1)));
        }
        try {
            List<String> path = Toml.parseDottedKey(key);
            return path.isEmpty() || path.size() > most(path.getFirst())
                    ? Optional.empty()
                    : Optional.of(path);
        } catch (IllegalArgumentException noKey) {
            return Optional.empty();
        }
    }

    private boolean hasNames(String section) {
        return schema.isFree(section) || schema.hasNamedClauses(section);
    }

    private int most(String section) {
        return schema.isFree(section) ? Integer.MAX_VALUE : schema.isNested(section) ? 3 : 2;
    }

    private Optional<SettingEntry> entry(List<String> path, String text, SourcePlace place) {
        String section = path.size() == 1 ? "" : path.getFirst();
        String name = String.join(".", path.size() == 1 ? path : path.subList(1, path.size()));
        if (!section.isEmpty() && !schema.isSection(section)) {
            complaints.add(place, section, "unknown section \"" + section + "\"",
                    schema.meantSection(section));
            return Optional.empty();
        }
        if (!schema.isKey(section, name)) {
            String dotted = String.join(".", path);
            complaints.add(place, dotted, "unknown key \"" + dotted + "\"", schema.meant(section, name));
            return Optional.empty();
        }
        return Optional.of(SettingEntry.of(section, name, value(section, name, text, place)));
    }

    private Value value(String section, String name, String text, SourcePlace place) {
        return schema.freeForm(section).orElseGet(() -> schema.find(section, name).orElseThrow().form()).value(text,
                place);
    }
}
