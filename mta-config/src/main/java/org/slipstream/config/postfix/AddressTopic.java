package org.slipstream.config.postfix;

import org.slipstream.config.postfix.ImportDraft.ImportedFile;
import org.slipstream.config.postfix.ImportDraft.ImportedKey;
import org.slipstream.config.postfix.ImportDraft.RemarkKind;
import org.slipstream.config.postfix.MainCf.PostfixSetting;
import org.slipstream.config.postfix.PostfixTable.InlineTable;
import org.slipstream.config.postfix.PostfixTable.PatternTable;
import org.slipstream.config.postfix.PostfixTable.StaticTable;
import org.slipstream.config.postfix.PostfixTable.TableEntry;
import org.slipstream.config.postfix.PostfixTable.TextTable;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Aliases, the rewriting of addresses, and copies of mail. Our settings read the files as they are.
final class AddressTopic implements ImportTopic {
    private static final Map<String, String> MAPS = maps();
    /// The domain of mail for /dev/null. No real domain has this ending (RFC 6761).
    private static final String DISCARDED = "discard.invalid";

    private static Map<String, String> maps() {
        Map<String, String> maps = new LinkedHashMap<>();
        maps.put("virtual_alias_maps", "local.virtual-maps");
        maps.put("canonical_maps", "rewrite.maps");
        maps.put("sender_canonical_maps", "rewrite.sender-maps");
        maps.put("recipient_canonical_maps", "rewrite.recipient-maps");
        maps.put("smtp_generic_maps", "rewrite.sender-maps");
        maps.put("sender_bcc_maps", "copy.sender-maps");
        maps.put("recipient_bcc_maps", "copy.recipient-maps");
        return maps;
    }

    @Override
    public void translate(PostfixFiles in, ImportDraft out) {
        in.given("alias_maps").ifPresent(maps -> aliases(maps, in, out));
        MAPS.forEach((name, setting) -> in.given(name).ifPresent(maps -> tables(setting, maps, in, out, true)));
        in.given("smtp_generic_maps").ifPresent(maps -> out.notMapped(maps, "the addresses are rewritten at arrival"
                + " (rewrite.sender-maps), so mail for local domains shows them too"));
        if (in.given("virtual_alias_domains").isEmpty()) {
            in.given("virtual_alias_maps").ifPresent(maps -> declaredDomains(maps, in, out));
        }
        in.given("always_bcc").ifPresent(
                copy -> out.add("copy.always", SimpleValues.quoted(copy.value()), copy.source()));
        for (String name : List.of("masquerade_domains", "masquerade_exceptions")) {
            in.given(name).ifPresent(list -> list.words().forEach(word -> out.add("rewrite." + name.replace('_', '-'),
                    SimpleValues.quoted(word), list.source())));
        }
    }

    private static void aliases(PostfixSetting maps, PostfixFiles in, ImportDraft out) {
        for (PostfixTable table : in.tables(maps)) {
            if (table instanceof TextTable text) {
                out.add("local.alias-files", SimpleValues.quoted(usable(text.file(), maps, out)), maps.source());
            } else {
                out.notMapped(maps, "aliases are text files of \"name: target\", or patterns in local.virtual-maps");
            }
        }
    }

    /// The file, or a copy whose aliases keep the targets that aliases can have here.
    private static String usable(Path file, PostfixSetting maps, ImportDraft out) {
        try {
            TableCopy copy = TableCopy.of(file.toString(), out);
            for (PostfixText.TextLine line : PostfixText.lines(file)) {
                alias(line, copy, maps, out);
            }
            return copy.isChanged() ? copy.keep(out) : file.toString();
        } catch (PostfixText.NoText _) {
            // The table was read a moment ago, and reported if it could not be.
            return file.toString();
        }
    }

    /// A line without any other target stays, and the reader of the settings refuses it.
    private static void alias(PostfixText.TextLine line, TableCopy copy, PostfixSetting maps, ImportDraft out) {
        int colon = line.text().indexOf(':', line.text().startsWith("\"") ? line.text().indexOf('"', 1) + 1 : 0);
        List<String> targets = PostfixText.targets(line.text().substring(colon + 1));
        List<String> kept = new ArrayList<>();
        for (String target : targets) {
            if (target.matches("\"?/dev/null\"?")) {
                kept.add("discard@" + DISCARDED);
                out.set(new ImportedKey("routes", SimpleValues.quoted(DISCARDED)), "\"discard\"",
                        maps.source() + ", " + line.place());
            } else if (!target.matches("\"?[|/].*")) {
                kept.add(target);
            }
        }
        if (colon > 0 && !kept.isEmpty() && !kept.equals(targets)) {
            copy.replace(line.place().line(), line.text().substring(0, colon) + ": " + String.join(", ", kept));
            if (kept.size() < targets.size()) {
                out.remark(RemarkKind.NOT_MAPPED, line.place(), maps.name(), "a target is a program or a file, which"
                        + " aliases cannot have; the line is copied without it");
            }
        }
    }

    /// Without virtual_alias_domains, the keys of the tables that are domains.
    private static void declaredDomains(PostfixSetting maps, PostfixFiles in, ImportDraft out) {
        for (String word : maps.words()) {
            Optional<List<TableEntry>> entries = in.table(word, maps).flatMap(PostfixTable::listed);
            entries.orElse(List.of()).stream().map(TableEntry::key)
                    .filter(key -> !key.contains("@") && key.contains(".") && org.slipstream.core.Address.isDomain(key))
                    .forEach(key -> out.add("local.domains", SimpleValues.quoted(key), maps.source()));
        }
    }

    /// @param patterns the setting takes patterns
    static void tables(String setting, PostfixSetting maps, PostfixFiles in, ImportDraft out, boolean patterns) {
        for (PostfixTable table : in.tables(maps)) {
            switch (table) {
                case TextTable text -> out.add(setting, SimpleValues.quoted(text.file().toString()), maps.source());
                case PatternTable each when patterns ->
                    out.add(setting, SimpleValues.quoted("regexp:" + each.file()), maps.source());
                case PatternTable _ ->
                    out.notMapped(maps, setting + " takes no patterns; write a line for each sender");
                case InlineTable inline -> {
                    String name = maps.name() + ".map";
                    out.file(new ImportedFile(name, inline.entries().stream()
                            .map(entry -> entry.key() + " " + entry.text() + "\n").collect(Collectors.joining())));
                    out.add(setting, SimpleValues.quoted(name), maps.source());
                }
                case StaticTable(String result) -> out.notMapped(maps, "one result for all keys (\"" + result
                        + "\") has no table; write a pattern: \"/.*/ " + result + "\" in regexp:FILE");
            }
        }
    }
}
