package org.slipstream.config.postfix;

import org.slipstream.settings.SourcePlace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/// The result of an import while it grows: settings with their sources, files to write, and remarks
/// about everything that has no setting.
final class ImportDraft {
    private final SequencedMap<ImportedKey, ImportedSetting> settings = new LinkedHashMap<>();
    private final Map<String, ImportedFile> files = new LinkedHashMap<>();
    private final List<ImportRemark> remarks = new ArrayList<>();
    private final Set<String> handled = new LinkedHashSet<>();

    /// @param section as in `mta.toml`, such as `local` or `destination."example.org"`
    record ImportedKey(String section, String name) {
        /// @param dotted a setting with one dot at most, such as `queue.lanes`
        static ImportedKey of(String dotted) {
            int dot = dotted.lastIndexOf('.');
            return new ImportedKey(dot < 0 ? "" : dotted.substring(0, dot), dotted.substring(dot + 1));
        }

        @Override
        public String toString() {
            return section.isEmpty() ? name : section + "." + name;
        }
    }

    /// @param items each as TOML; one of them unless it is a list
    /// @param sources such as `main.cf:12 relayhost`
    record ImportedSetting(List<String> items, boolean list, Set<String> sources) {
        String toml() {
            return list ? "[" + String.join(", ", items) + "]" : items.getFirst();
        }
    }

    /// A file that the import writes beside `mta.toml`.
    ///
    /// @param secret readable by its owner only; others are read by the server's user, too
    record ImportedFile(String name, String text, boolean secret) {
        ImportedFile(String name, String text) {
            this(name, text, false);
        }
    }

    Optional<ImportedFile> file(String name) {
        return Optional.ofNullable(files.get(name));
    }

    enum RemarkKind {
        /// No setting has this meaning, or not with this value.
        NOT_MAPPED,
        /// The server does the same without a setting, or has nothing that it could concern.
        NOT_NEEDED,
        /// No parameter of Postfix, a file that is missing, a value without a meaning.
        MISTAKE
    }

    /// @param name of the parameter; empty for a line without one
    record ImportRemark(RemarkKind kind, SourcePlace place, String name, String reason) {
        @Override
        public String toString() {
            return place + ": " + (name.isEmpty() ? "" : name + ": ") + reason;
        }
    }

    void set(String dotted, String toml, String source) {
        set(ImportedKey.of(dotted), toml, source);
    }

    /// The first value of a setting stays.
    void set(ImportedKey key, String toml, String source) {
        settings.computeIfAbsent(key,
                _ -> new ImportedSetting(new ArrayList<>(List.of(toml)), false, new LinkedHashSet<>(Set.of(source))));
    }

    void replace(String dotted, String toml, String source) {
        settings.remove(ImportedKey.of(dotted));
        set(dotted, toml, source);
    }

    /// Adds to a list. An item stands there once.
    void add(String dotted, String toml, String source) {
        ImportedSetting list = settings.computeIfAbsent(ImportedKey.of(dotted),
                _ -> new ImportedSetting(new ArrayList<>(), true, new LinkedHashSet<>()));
        if (!list.items().contains(toml)) {
            list.items().add(toml);
        }
        list.sources().add(source);
    }

    void removeItem(String dotted, String toml) {
        ImportedKey key = ImportedKey.of(dotted);
        if (settings.containsKey(key) && settings.get(key).items().remove(toml)
                && settings.get(key).items().isEmpty()) {
            settings.remove(key);
        }
    }

    void replaceItem(ImportedKey key, String toml, String by) {
        Optional.ofNullable(settings.get(key)).ifPresent(each -> each.items().replaceAll(
                item -> item.equals(toml) ? by : item));
    }

    /// The items of a list, or the one value; empty without the setting.
    List<String> items(String dotted) {
        ImportedSetting setting = settings.get(ImportedKey.of(dotted));
        return setting == null ? List.of() : setting.items();
    }

    boolean has(String dotted) {
        return settings.containsKey(ImportedKey.of(dotted));
    }

    void remove(ImportedKey key) {
        settings.remove(key);
    }

    void file(ImportedFile file) {
        files.put(file.name(), file);
    }

    void notMapped(MainCf.PostfixSetting parameter, String reason) {
        remark(RemarkKind.NOT_MAPPED, parameter.place(), parameter.name(), reason);
    }

    void mistake(SourcePlace place, String name, String what) {
        remark(RemarkKind.MISTAKE, place, name, what);
    }

    void remark(RemarkKind kind, SourcePlace place, String name, String reason) {
        ImportRemark remark = new ImportRemark(kind, place, name, reason);
        if (!remarks.contains(remark)) {
            remarks.add(remark);
        }
    }

    /// The parameter needs no further look: a topic has read it.
    void handled(String name) {
        handled.add(name);
    }

    boolean isHandled(String name) {
        return handled.contains(name);
    }

    SequencedMap<ImportedKey, ImportedSetting> settings() {
        return settings;
    }

    List<ImportedFile> files() {
        return List.copyOf(files.values());
    }

    List<ImportRemark> remarks() {
        return List.copyOf(remarks);
    }
}
