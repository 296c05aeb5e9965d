package org.slipstream.lab.scenario;

import org.slipstream.core.text.Nearest;
import org.slipstream.settings.TomlMistake;
import org.slipstream.settings.TomlSection;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Keys of a scenario file that have another value in one run, for example `order=fifo`. An
/// experiment needs no second file.
///
/// A path names a key by its sections: `transport.slow.lanes`, `messages.news.count`. The last
/// change of a key is used. A path that no reader requests is a mistake, like an unknown key in the
/// file.
final class ChangedKeys implements TomlSection.Changes {
    private static final List<String> SECTIONS = List.of("", "settings.", "transport.", "placement.",
            "servers.default.");

    /// @param text as the user wrote it
    private record Change(String path, Object value, String text) {}

    private final List<Change> changes = new ArrayList<>();
    private final Set<String> requested = new LinkedHashSet<>();

    private ChangedKeys() {}

    static ChangedKeys none() {
        return new ChangedKeys();
    }

    /// @param texts each `key=value`
    /// @param known paths of keys that need no section
    static ChangedKeys of(List<String> texts, Collection<String> known) {
        ChangedKeys changed = new ChangedKeys();
        texts.forEach(text -> changed.changes.addFirst(change(text, known)));
        return changed;
    }

    private static Change change(String text, Collection<String> known) {
        int equals = text.indexOf('=');
        if (equals < 1) {
            throw new TomlMistake("\"" + text + "\" changes nothing; write key=value, for example order=fifo");
        }
        return new Change(path(text.substring(0, equals).strip(), known), parsed(text.substring(equals + 1).strip()),
                text);
    }

    private static String path(String key, Collection<String> known) {
        return SECTIONS.stream().map(section -> section + key).filter(known::contains).findFirst().orElseGet(() -> {
            if (key.contains(".")) {
                return key;
            }
            throw new TomlMistake("unknown key \"" + key + "\"" + Nearest.hint(key, shortNames(known)));
        });
    }

    private static Set<String> shortNames(Collection<String> known) {
        Set<String> names = new TreeSet<>();
        for (String path : known) {
            SECTIONS.stream().filter(section -> !section.isEmpty() && path.startsWith(section))
                    .map(section -> path.substring(section.length())).filter(name -> !name.contains("."))
                    .forEach(names::add);
        }
        return names;
    }

    private static Object parsed(String text) {
        if (text.matches("-?[0-9]{1,18}")) {
            return Long.valueOf(text);
        }
        if (text.matches("-?[0-9]+\\.[0-9]+")) {
            return Double.valueOf(text);
        }
        return text.matches("\".*\"") ? text.substring(1, text.length() - 1) : text;
    }

    @Override
    public Optional<Object> value(String path) {
        requested.add(path);
        return find(path).map(Change::value);
    }

    @Override
    public Optional<String> text(String path) {
        return find(path).map(Change::text);
    }

    private Optional<Change> find(String path) {
        return changes.stream().filter(change -> change.path().equals(path)).findFirst();
    }

    @Override
    public boolean isBelow(String section) {
        return changes.stream().anyMatch(change -> change.path().startsWith(section + "."));
    }

    @Override
    public Set<String> sectionsBelow(String section) {
        Set<String> names = new TreeSet<>();
        for (Change change : changes) {
            if (change.path().startsWith(section + ".")) {
                String rest = change.path().substring(section.length() + 1);
                if (rest.contains(".")) {
                    names.add(rest.substring(0, rest.indexOf('.')));
                }
            }
        }
        return names;
    }

    /// Paths of all keys that were requested.
    Set<String> requested() {
        return requested;
    }

    void requireAllUsed(String file) {
        changes.stream().filter(change -> !requested.contains(change.path())).findFirst().ifPresent(change -> {
            throw new TomlMistake(file + " with " + change.text() + ": unknown key \"" + change.path() + "\""
                    + Nearest.hint(change.path(), requested));
        });
    }
}
