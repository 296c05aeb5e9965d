package org.slipstream.config.postfix;

import org.slipstream.config.postfix.PostfixText.NoText;
import org.slipstream.config.postfix.PostfixText.TextLine;
import org.slipstream.settings.SourcePlace;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A lookup table that `main.cf` names, such as `hash:/etc/postfix/virtual` or `inline:{a=b}`. For a
/// compiled table the text that it was made from is read.
sealed interface PostfixTable {
    Set<String> COMPILED = Set.of("hash", "lmdb", "texthash", "cdb", "btree", "dbm", "sdbm");
    Set<String> PATTERNS = Set.of("regexp", "pcre");
    /// Kinds whose contents are no text file.
    Set<String> OTHERS = Set.of("ldap", "mysql", "pgsql", "sqlite", "tcp", "socketmap", "unix", "nis", "nisplus",
            "netinfo", "memcache", "environ", "internal", "randmap", "pipemap", "unionmap", "cidr", "fail");

    /// @param text `key` and result; for patterns the whole line
    record TableEntry(String key, String text, SourcePlace place) {}

    /// A text file of keys and results.
    record TextTable(Path file, List<TableEntry> entries) implements PostfixTable {}

    /// Entries that stand in `main.cf` itself.
    record InlineTable(List<TableEntry> entries) implements PostfixTable {}

    /// A file of patterns, which is not read here.
    record PatternTable(Path file) implements PostfixTable {}

    /// One result for every key.
    record StaticTable(String result) implements PostfixTable {}

    /// A table that the import cannot use.
    final class UnusableTable extends Exception {
        private static final long serialVersionUID = 1L;
        private final boolean mistaken;

        UnusableTable(String sentence, boolean mistaken) {
            super(sentence);
            this.mistaken = mistaken;
        }

        /// True when Postfix could not use it either.
        boolean isMistake() {
            return mistaken;
        }
    }

    /// @param word `type:name`, perhaps with `proxy:` before it
    /// @param place of the line in `main.cf`
    /// @param standard the type where none is given
    static PostfixTable read(String word, SourcePlace place, String standard) throws UnusableTable {
        String spec = word.startsWith("proxy:") ? word.substring(6) : word;
        int colon = spec.startsWith("/") ? -1 : spec.indexOf(':');
        String type = colon < 0 ? standard : spec.substring(0, colon);
        String name = spec.substring(colon + 1);
        if (type.equals("static")) {
            return new StaticTable(name.replaceAll("^\\{\\s*|\\s*}$", ""));
        }
        if (type.equals("inline")) {
            return new InlineTable(inline(name, place));
        }
        if (OTHERS.contains(type)) {
            throw new UnusableTable(
                    "tables of the kind " + type + ": are not supported; export it to a text file and name it"
                            + " as texthash:FILE",
                    false);
        }
        if (!COMPILED.contains(type) && !PATTERNS.contains(type)) {
            throw new UnusableTable("\"" + type + ":\" is no kind of table that Postfix knows", true);
        }
        Path file = Path.of(name);
        if (PATTERNS.contains(type)) {
            readable(file);
            return new PatternTable(file);
        }
        return new TextTable(file, entries(file));
    }

    private static void readable(Path file) throws UnusableTable {
        if (!Files.isReadable(file)) {
            throw new UnusableTable(Files.exists(file)
                    ? file + " cannot be read: permission denied; run the command as a user who may read it"
                    : "there is no file " + file, true);
        }
    }

    private static List<TableEntry> entries(Path file) throws UnusableTable {
        if (file.toString().matches(".*\\.(db|lmdb|cdb|dir|pag)")) {
            throw new UnusableTable(file + " is a compiled table; name it without the ending, as Postfix does", true);
        }
        if (!Files.exists(file) && Files.exists(Path.of(file + ".db"))) {
            throw new UnusableTable(
                    "there is only the compiled " + file + ".db; write its text with \"postmap -s " + file
                            + " > " + file + "\"",
                    true);
        }
        try {
            List<TableEntry> entries = new ArrayList<>();
            for (TextLine line : PostfixText.lines(file)) {
                entries.add(entry(line));
            }
            return entries;
        } catch (NoText unreadable) {
            throw new UnusableTable(String.valueOf(unreadable.getMessage()), true);
        }
    }

    private static TableEntry entry(TextLine line) {
        String[] words = line.text().split("\\s+", 2);
        return new TableEntry(words[0], words.length > 1 ? words[1].strip() : "", line.place());
    }

    private static List<TableEntry> inline(String name, SourcePlace place) throws UnusableTable {
        if (!name.startsWith("{") || !name.endsWith("}")) {
            throw new UnusableTable("\"inline:" + name + "\" is not \"inline:{key=value, ...}\"", true);
        }
        List<TableEntry> entries = new ArrayList<>();
        for (String word : MainCf.words(name.substring(1, name.length() - 1))) {
            String pair = word.startsWith("{") ? word.substring(1, word.length() - 1).strip() : word;
            int equals = pair.indexOf('=');
            if (equals < 0) {
                throw new UnusableTable("\"" + pair + "\" in the inline table is not \"key=value\"", true);
            }
            entries.add(new TableEntry(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip(), place));
        }
        return entries;
    }

    /// The entries, where they can be listed.
    default Optional<List<TableEntry>> listed() {
        return switch (this) {
            case TextTable text -> Optional.of(text.entries());
            case InlineTable inline -> Optional.of(inline.entries());
            case PatternTable _,StaticTable _ -> Optional.empty();
        };
    }
}
