package org.slipstream.server.config;

import org.tomlj.Toml;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The values of `--set key=value`. The key is dotted as in `queue.lanes` or
/// `transport.smtp.lanes`. In sections whose names the operator chooses the rest after the first dot is one name, with
/// or without quotes, because shells remove them.
final class Overrides {
    private Overrides() {}

    static List<SettingEntry> read(Schema schema, List<String> overrides, Complaints complaints) {
        List<SettingEntry> entries = new ArrayList<>();
        for (String override : overrides) {
            int equals = divider(override);
            if (equals <= 0) {
                complaints.add(SourcePlace.OVERRIDE, "", "\"" + override + "\" is not key=value");
                continue;
            }
            Optional<List<String>> path = path(override.substring(0, equals).strip());
            if (path.isEmpty()) {
                complaints.add(SourcePlace.OVERRIDE, "", "\"" + override.substring(0, equals) + "\" is not a key");
                continue;
            }
            entry(schema, path.get(), override.substring(equals + 1), complaints).ifPresent(entries::add);
        }
        return entries;
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

    private static Optional<List<String>> path(String key) {
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

    private static boolean hasNames(String section) {
        return Schema.isFree(section) || Schema.hasNamedClauses(section);
    }

    private static int most(String section) {
        return Schema.isFree(section) ? Integer.MAX_VALUE : Schema.isNested(section) ? 3 : 2;
    }

    private static Optional<SettingEntry> entry(Schema schema, List<String> path, String text, Complaints complaints) {
        String section = path.size() == 1 ? "" : path.getFirst();
        String name = String.join(".", path.size() == 1 ? path : path.subList(1, path.size()));
        if (!section.isEmpty() && !schema.isSection(section)) {
            complaints.add(SourcePlace.OVERRIDE, section, "unknown section \"" + section + "\"",
                    schema.meantSection(section));
            return Optional.empty();
        }
        if (!schema.isKey(section, name)) {
            String dotted = String.join(".", path);
            complaints.add(SourcePlace.OVERRIDE, dotted, "unknown key \"" + dotted + "\"", schema.meant(section, name));
            return Optional.empty();
        }
        return Optional.of(SettingEntry.of(section, name, value(schema, section, name, text)));
    }

    private static Value value(Schema schema, String section, String name, String text) {
        if (section.equals(Schema.ALIASES)) {
            return AliasBook.TARGETS.value(text, SourcePlace.OVERRIDE);
        }
        if (section.equals(Schema.ROUTES)) {
            return new Value.Text(text, SourcePlace.OVERRIDE);
        }
        return schema.find(section, name).orElseThrow().form().value(text, SourcePlace.OVERRIDE);
    }
}
