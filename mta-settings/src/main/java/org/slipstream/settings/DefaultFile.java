package org.slipstream.settings;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/// The `mta.toml` that the first start writes: the keys with their defaults and what they mean,
/// but for those of experts.
///
/// The defaults are commented out. So an unchanged file follows the defaults of a later version,
/// and changes are visible at a glance.
public final class DefaultFile {
    private static final int WIDTH = 100;

    private DefaultFile() {}

    /// Writes the file when there is none. An existing file is never changed.
    ///
    /// @param machine the name that stands for the hostname
    /// @return true when it was written
    public static boolean writeIfMissing(Path file, Schema schema, String machine) throws IOException {
        if (Files.exists(file)) {
            return false;
        }
        Path folder = Files.createDirectories(file.toAbsolutePath().getParent());
        Path aside = Files.createTempFile(folder, "mta", ".new");
        try {
            Files.write(aside, render(schema, machine).getBytes(StandardCharsets.UTF_8));
            Files.move(aside, file, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(aside);
        }
        return true;
    }

    /// @param machine the name that stands for the hostname
    public static String render(Schema schema, String machine) {
        List<String> lines = new ArrayList<>();
        lines.add("# Settings of this mail server. Lines that begin with # are comments or defaults;");
        lines.add("# to change a setting, take the # away and write another value. `mta check` reports every mistake.");
        lines.add(
                "# Times: \"250ms\", \"300s\", \"5m\", \"4h\", \"5d\". Sizes: \"128KiB\", \"25MiB\", \"64MB\", or bytes.");
        lines.add("# More settings, for experts, are in docs/configuration.md and in the manual page mta.toml(5).");
        schema.sections().forEach((name, section) -> {
            if (!section.example().isEmpty() || schema.usualKeys(name).findAny().isPresent()) {
                section(lines, schema, name, section, machine);
            }
        });
        return String.join("\n", lines) + "\n";
    }

    private static void section(List<String> lines, Schema schema, String name, SchemaSection section, String machine) {
        lines.add("");
        if (!name.isEmpty()) {
            comment(lines, section.doc());
            lines.add("[" + name + "]");
        }
        lines.addAll(section.example());
        schema.usualKeys(name).forEach(key -> {
            comment(lines, key.doc());
            lines.add("#" + key.name() + " = " + key.defaultValue(machine).toToml());
        });
    }

    private static void comment(List<String> lines, String doc) {
        StringBuilder line = new StringBuilder("#");
        for (String word : doc.replace("`", "").split(" ")) {
            if (line.length() + 1 + word.length() > WIDTH) {
                lines.add(line.toString());
                line = new StringBuilder("#");
            }
            line.append(' ').append(word);
        }
        lines.add(line.toString());
    }
}
