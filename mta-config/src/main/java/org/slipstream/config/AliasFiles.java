package org.slipstream.config;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;
import org.slipstream.local.address.AliasExpansion;
import org.slipstream.local.address.LocalSettings;
import org.slipstream.local.address.MapFile;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.LogicalLine;
import org.slipstream.settings.NamedFiles;
import org.slipstream.settings.SourcePlace;
import org.slipstream.settings.Value;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// The reader of aliases in files, in the two formats of Postfix. It guarantees that a line is
/// either used or reported with its place.
///
/// `local.alias-files` have the format of aliases(5): `name: target, target`. `local.virtual-maps`
/// have that of virtual(5): `user@domain target, target`, and `@domain target` for the rest of a
/// domain. A line that begins with a blank continues the line before it. An alias in `mta.toml` is
/// stronger than one in a file, and an earlier file is stronger than a later one.
///
/// A local domain that a virtual map names is a virtual domain: a name without domain in an alias
/// file does not apply there, as in Postfix.
final class AliasFiles {
    private static final String NO_PROGRAMS = " is not supported, because mail would run programs or write files;"
            + " name a mailbox or an address";
    private static final String INCLUDE = ":include:";
    private static final String ALIAS_FILES = "local.alias-files";

    private final LocalSettings local;
    private final NamedFiles files;
    private final Complaints complaints;
    private final Map<String, Value> written;
    private final Map<String, Value> found;

    /// The settings that name the files.
    @SettingsSection("local")
    record Names(
            @Setting(value = "",
                    doc = "Files of aliases in the format of `/etc/aliases` (docs/addresses.md).") List<Path> aliasFiles,
            @Setting(value = "",
                    form = "map",
                    doc = "Files of aliases in the format of Postfix's virtual(5), with `@domain` for the rest of a"
                            + " domain. `regexp:FILE` has patterns (docs/addresses.md).") List<MapFile> virtualMaps) {}

    private AliasFiles(LocalSettings local, Map<String, Value> written, NamedFiles files) {
        this.local = local;
        this.files = files;
        this.complaints = files.complaints();
        this.written = written;
        this.found = new LinkedHashMap<>(written);
    }

    /// @param written the aliases of `mta.toml`
    /// @return these and those of the files, by name
    static Map<String, Value> read(Names names, Map<String, Value> written, LocalSettings local,
            NamedFiles files) {
        AliasFiles aliases = new AliasFiles(local, written, files);
        List<LogicalLine> maps = names.virtualMaps().stream().filter(map -> !map.patterns())
                .flatMap(map -> files.logicalLines("local.virtual-maps", map.path()).stream()).toList();
        List<String> domains = aliases.domainsOutside(maps);
        for (Path file : names.aliasFiles()) {
            files.logicalLines(ALIAS_FILES, file).forEach(line -> aliases.alias(line, domains));
        }
        maps.forEach(aliases::virtual);
        return aliases.found;
    }

    private List<String> domainsOutside(List<LogicalLine> maps) {
        Set<String> named = maps.stream().map(line -> line.text().split("\\s+", 2)[0].toLowerCase(Locale.ROOT))
                .map(name -> name.substring(name.lastIndexOf('@') + 1)).collect(Collectors.toSet());
        return local.domains().stream().filter(domain -> !named.contains(domain)).toList();
    }

    /// @param domains in which a name without domain applies
    private void alias(LogicalLine line, List<String> domains) {
        int colon = line.text().startsWith("\"")
                ? line.text().indexOf(':', line.text().indexOf('"', 1) + 1)
                : line.text().indexOf(':');
        if (colon <= 0) {
            complaints.add(line.place(), "", "an alias is \"name: target, target\"");
            return;
        }
        String name = unquoted(line.text().substring(0, colon).strip());
        String targets = line.text().substring(colon + 1);
        if (name.contains("@") || domains.size() == local.domains().size()) {
            enter(name, targets, line.place());
        } else if (!written.containsKey(name)) {
            domains.forEach(domain -> enter(name + "@" + domain, targets, line.place()));
        }
    }

    private void virtual(LogicalLine line) {
        String[] words = line.text().split("\\s+", 2);
        if (words.length < 2) {
            complaints.add(line.place(), "", "a line of a map is \"name target, target\"");
        } else if (!local.domains().contains(words[0].toLowerCase(Locale.ROOT))) {
            // Otherwise the line declares the domain, as in Postfix; local.domains does that here.
            enter(words[0], words[1], line.place());
        }
    }

    private void enter(String name, String targets, SourcePlace place) {
        List<Value> items = new ArrayList<>();
        String user = name.split("@")[0];
        int before = complaints.count();
        for (String target : words(targets)) {
            if (items.size() > AliasExpansion.MOST_TARGETS) {
                // The alias book refuses the alias with its line.
                break;
            }
            if (target.startsWith(INCLUDE)) {
                include(Path.of(target.substring(INCLUDE.length())), place, items);
            } else if (target.startsWith("|") || target.startsWith("/")) {
                complaints.add(place, "", user + ": the target \"" + target + "\"" + NO_PROGRAMS);
            } else if (target.startsWith("\\") && !target.substring(1).equalsIgnoreCase(user)) {
                complaints.add(place, "", user + ": \"" + target
                        + "\" is not supported; a backslash may precede the alias's own name only");
            } else if (!target.isEmpty()) {
                items.add(new Value.Text(target.startsWith("\\") ? target.substring(1) : target, place));
            }
        }
        if (!items.isEmpty() || complaints.count() == before) {
            found.putIfAbsent(name.toLowerCase(Locale.ROOT), new Value.Many(items, place));
        }
    }

    /// A file of addresses, between commas or line ends. It names no further file.
    private void include(Path file, SourcePlace named, List<Value> items) {
        for (LogicalLine line : files.logicalLines(ALIAS_FILES, named, file)) {
            for (String target : words(line.text())) {
                if (items.size() > AliasExpansion.MOST_TARGETS) {
                    return;
                }
                if (target.startsWith("|") || target.startsWith("/") || target.startsWith(":")) {
                    complaints.add(line.place(), "", "\"" + target + "\" is not an address");
                } else if (!target.isEmpty()) {
                    items.add(new Value.Text(target, line.place()));
                }
            }
        }
    }

    /// Commas inside of quotes do not separate.
    private static List<String> words(String targets) {
        List<String> words = new ArrayList<>();
        boolean quoted = false;
        int begin = 0;
        for (int i = 0; i < targets.length(); i++) {
            char c = targets.charAt(i);
            quoted ^= c == '"';
            if (c == ',' && !quoted) {
                words.add(unquoted(targets.substring(begin, i).strip()));
                begin = i + 1;
            }
        }
        words.add(unquoted(targets.substring(begin).strip()));
        return words;
    }

    private static String unquoted(String word) {
        return word.length() > 1 && word.startsWith("\"") && word.endsWith("\"")
                ? word.substring(1, word.length() - 1)
                : word;
    }
}
