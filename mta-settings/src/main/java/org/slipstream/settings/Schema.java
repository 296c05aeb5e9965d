package org.slipstream.settings;

import org.slipstream.core.SettingsRecords;
import org.slipstream.core.text.Nearest;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/// All sections and keys of a file of settings. The keys come from the annotated components of
/// records ([org.slipstream.core.Setting]), so a key that a record declares is read, checked, written
/// and documented, and no other is.
public final class Schema {
    private final SequencedMap<String, SchemaSection> sections;
    private final KnownForms forms;
    private final SequencedMap<String, Key> keys = new LinkedHashMap<>();

    /// @param sections in the order of the file
    public Schema(SequencedMap<String, SchemaSection> sections, List<Class<? extends Record>> records,
            KnownForms forms) {
        this.sections = sections;
        this.forms = forms;
        records.stream().flatMap(type -> keysOf(type).stream()).forEach(this::add);
    }

    /// The keys that a record declares.
    private List<Key> keysOf(Class<? extends Record> type) {
        return SettingsRecords.declared(type).stream()
                .map(declared -> new Key(declared, Forms.of(declared.type(), declared.setting(), forms))).toList();
    }

    private void add(Key key) {
        if (!sections.containsKey(key.section()) || keys.put(key.dotted(), key) != null) {
            throw new IllegalStateException(key.dotted() + " has no section or is declared twice");
        }
    }

    public SequencedMap<String, SchemaSection> sections() {
        return sections;
    }

    public List<Key> keys() {
        return List.copyOf(keys.values());
    }

    public Stream<Key> keys(String section) {
        return keys.values().stream().filter(key -> key.section().equals(section));
    }

    /// The keys of a section without those for experts.
    public Stream<Key> usualKeys(String section) {
        return keys(section).filter(key -> !key.isExpert());
    }

    /// The keys for experts, of all sections.
    public Stream<Key> expertKeys() {
        return keys.values().stream().filter(Key::isExpert);
    }

    /// @throws IllegalArgumentException a check names a key that does not exist
    public Key key(String dotted) {
        return Optional.ofNullable(keys.get(dotted))
                .orElseThrow(() -> new IllegalArgumentException("no key " + dotted));
    }

    /// The key of a name; that of `smtp.lanes` in `[transport]`.
    public Optional<Key> find(String section, String name) {
        return Optional.ofNullable(keys.get(section.isEmpty() ? name : section + "." + name))
                .or(() -> nested(section).flatMap(inner -> inner.find(name)));
    }

    private Optional<SchemaSection.NestedKeys> nested(String section) {
        return Optional.ofNullable(sections.get(section)).flatMap(each -> switch (each) {
            case SchemaSection.Nested nested -> Optional.of(nested.keys());
            case SchemaSection.Declared declared -> declared.inner();
            case SchemaSection.Free _ -> Optional.empty();
        });
    }

    public boolean isSection(String name) {
        return !name.isEmpty() && sections.containsKey(name);
    }

    /// The form of the keys that the operator invents in a section.
    Optional<Form<?>> freeForm(String section) {
        return sections.get(section) instanceof SchemaSection.Free free ? Optional.of(free.form()) : Optional.empty();
    }

    /// True for the sections whose keys the operator invents.
    boolean isFree(String section) {
        return freeForm(section).isPresent();
    }

    /// True for the sections that hold others.
    boolean isNested(String section) {
        return nested(section).isPresent();
    }

    /// True for the nested sections whose inner names the operator invents, with dots in them.
    boolean hasNamedClauses(String section) {
        return nested(section).filter(SchemaSection.NestedKeys::haveFreeNames).isPresent();
    }

    boolean isKey(String section, String name) {
        return isFree(section) || find(section, name).isPresent();
    }

    /// The suggestion for an unknown key: a near name of its section, or the same or a near name of
    /// another.
    Optional<String> meant(String section, String name) {
        if (isNested(section) && (name.contains(".") || keys(section).findAny().isEmpty())) {
            return nested(section).orElseThrow().meant(name);
        }
        Optional<String> here = Nearest.to(name, keys(section).map(Key::name).toList())
                .or(() -> section.isEmpty() ? Nearest.to(name, sections.keySet()) : Optional.empty());
        if (here.isPresent()) {
            return Optional.of("did you mean \"" + here.get() + "\"?");
        }
        return named(name)
                .or(() -> Nearest.to(name, keys.values().stream().map(Key::name).toList()).flatMap(this::named))
                .map(key -> "did you mean \"" + key.name() + "\" " + place(key) + "?");
    }

    Optional<String> meantSection(String section) {
        List<String> known = sections.keySet().stream().filter(s -> !s.isEmpty()).toList();
        return Nearest.to(section, known).map(near -> "did you mean [" + near + "]?");
    }

    private Optional<Key> named(String name) {
        return keys.values().stream().filter(key -> key.name().equals(name)).findFirst();
    }

    private static String place(Key key) {
        return key.section().isEmpty() ? "before the first section" : "in [" + key.section() + "]";
    }
}
