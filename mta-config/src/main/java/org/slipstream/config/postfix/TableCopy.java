package org.slipstream.config.postfix;

import org.slipstream.config.postfix.ImportDraft.ImportedFile;
import org.slipstream.config.postfix.PostfixText.NoText;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A copy of a table, or of a file of aliases, that differs in the lines that this server cannot
/// use. All other lines keep their numbers, so a place in the copy is the place in the original.
final class TableCopy {
    private static final String PREFIX = "imported-";

    private final String name;
    private final List<String> lines;
    private boolean changed;

    private TableCopy(String name, String text) {
        this.name = name;
        this.lines = new ArrayList<>(text.lines().toList());
    }

    /// @param file the original, or a copy of it that the draft holds
    static TableCopy of(String file, ImportDraft draft) throws NoText {
        Optional<ImportedFile> earlier = draft.file(file);
        if (earlier.isPresent()) {
            return new TableCopy(file, earlier.get().text());
        }
        Path path = Path.of(file);
        String base = PREFIX + path.getFileName();
        String name = base;
        for (int i = 2; draft.file(name).isPresent(); i++) {
            name = base + "-" + i;
        }
        return new TableCopy(name, PostfixText.text(path));
    }

    /// The name of the original in remarks.
    String original() {
        return name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
    }

    /// Makes a comment of a line and of those that continue it.
    ///
    /// @param number from 1
    /// @return false when it is one already
    boolean leaveOut(int number) {
        if (lines.get(number - 1).startsWith("#")) {
            return false;
        }
        replace(number, "# " + lines.get(number - 1));
        return true;
    }

    /// @param number from 1
    void replace(int number, String line) {
        changed = true;
        lines.set(number - 1, line);
        for (int i = number; i < lines.size(); i++) {
            String next = lines.get(i);
            if (!next.isBlank() && !next.strip().startsWith("#")) {
                if (!Character.isWhitespace(next.charAt(0))) {
                    return;
                }
                lines.set(i, "#" + next);
            }
        }
    }

    boolean isChanged() {
        return changed;
    }

    /// @return the name of the file beside `mta.toml`
    String keep(ImportDraft draft) {
        draft.file(new ImportedFile(name, String.join("\n", lines) + "\n"));
        return name;
    }
}
