package org.slipstream.config.postfix;

import org.slipstream.config.postfix.ImportDraft.ImportedFile;
import org.slipstream.config.postfix.ImportDraft.ImportedKey;
import org.slipstream.config.postfix.ImportDraft.ImportedSetting;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The text of a `mta.toml` from an import. Each line names the lines of Postfix that it comes from.
///
/// @param keys by their line, from 1
record ImportedToml(String text, Map<Integer, ImportedKey> keys) {
    private static final List<String> ORDER = List.of("", "listen", "local", "rewrite", "copy", "relay", "submission",
            "maildrop", "trust", "routes", "smarthost", "tls", "limits", "policy", "queue", "scheduler", "concurrency",
            "placement", "smtp-client", "spool", "log");

    /// @param folder of the files that the import writes; empty when it writes none
    static ImportedToml render(ImportDraft draft, Path from, Optional<Path> folder) {
        Map<String, List<Map.Entry<ImportedKey, ImportedSetting>>> sections = new LinkedHashMap<>();
        ORDER.forEach(section -> sections.put(section, new ArrayList<>()));
        draft.settings().entrySet().forEach(
                each -> sections.computeIfAbsent(each.getKey().section(), _ -> new ArrayList<>()).add(each));
        List<String> lines = new ArrayList<>(List.of("# Made by mta import-postfix from " + from + ".",
                "# A comment names the line of Postfix; docs/from-postfix.md has all names."));
        Map<Integer, ImportedKey> keys = new LinkedHashMap<>();
        sections.forEach((section, settings) -> {
            if (!settings.isEmpty()) {
                lines.add("");
                if (!section.isEmpty()) {
                    lines.add("[" + section + "]");
                }
            }
            settings.forEach(each -> {
                lines.add(line(each.getKey(), each.getValue(), draft.files(), folder));
                keys.put(lines.size(), each.getKey());
            });
        });
        return new ImportedToml(String.join("\n", lines) + "\n", keys);
    }

    private static String line(ImportedKey key, ImportedSetting setting, List<ImportedFile> files,
            Optional<Path> folder) {
        String value = setting.toml();
        for (ImportedFile file : files) {
            for (String kind : List.of("", PostfixImport.PATTERNS)) {
                String name = SimpleValues.quoted(kind + file.name());
                value = value.replace(name, folder.map(
                        path -> SimpleValues.quoted(kind + path.resolve(file.name()))).orElse(name));
            }
        }
        return key.name() + " = " + value + "  # " + String.join("; ", setting.sources());
    }
}
