package org.slipstream.lab.scenario;

import org.slipstream.core.SettingsRecords;
import org.slipstream.core.text.Nearest;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.wake.DestinationPattern;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.ProviderRules;
import org.slipstream.qmgr.wake.ProviderSettings;
import org.slipstream.qmgr.wake.RetrySettings;
import org.slipstream.qmgr.wake.RingSettings;
import org.slipstream.settings.TomlSection;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/// Reads the sections of `mta.toml` that have names: `[destination."…"]`, `[ring."…"]`, `[provider.NAME]`
/// and `[retry."…"]`. Keys and meanings are those of `mta.toml`.
final class ClausesReader {
    private ClausesReader() {}

    /// @param transports names of those that clauses may name
    static QmgrConfig read(TomlSection root, Set<String> transports, QmgrConfig config) {
        Map<String, RingSettings> rings = new TreeMap<>();
        each(root, "ring", (name, section) -> rings.put(name,
                SettingsReader.declared(section, SettingsRecords.defaults(RingSettings.class))));
        SequencedMap<String, RetrySettings> retries = new LinkedHashMap<>(RetrySettings.builtIn());
        each(root, "retry", (name, section) -> retries.put(name,
                SettingsReader.declared(section, retries.getOrDefault(name, RetrySettings.defaults()))));
        Map<String, ProviderSettings> providers = new TreeMap<>();
        each(root, "provider", (name, section) -> {
            providers.put(name, SettingsReader.declared(section, ProviderSettings.NONE));
            try {
                new ProviderRules(providers).table();
            } catch (IllegalArgumentException wrong) {
                throw section.wrong(wrong.getMessage());
            }
        });
        List<DestinationTable.Clause> clauses = new ArrayList<>();
        each(root, "destination", (name, section) -> {
            DestinationPattern pattern = DestinationPattern.parse(name).orElseThrow(() -> section.wrong("\"" + name
                    + "\" is not a domain, \".suffix\", \"*\", \"mx:host\" or \"smtp:host:port\""));
            DestinationSettings settings = SettingsReader.declared(section, DestinationSettings.NONE);
            known(section, "ring", settings.ring(), rings.keySet());
            known(section, "retry", settings.retry(), retries.keySet());
            known(section, "transport", settings.transport(), transports);
            clauses.add(new DestinationTable.Clause(pattern, settings));
        });
        return config.withRetries(retries)
                .withDestinations(new DestinationTable(clauses, rings).withProviders(new ProviderRules(providers)));
    }

    /// The sections in the order of the file.
    private static void each(TomlSection root, String kind, BiConsumer<String, TomlSection> reader) {
        Optional<TomlSection> all = root.section(kind);
        if (all.isEmpty()) {
            return;
        }
        Map<String, TomlSection> sections = new TreeMap<>();
        all.get().tables().forEach(name -> sections.put(name, all.get().section(name).orElseThrow()));
        all.get().end();
        sections.entrySet().stream().sorted(Comparator.comparingInt(entry -> entry.getValue().line()))
                .forEach(entry -> {
                    reader.accept(entry.getKey(), entry.getValue());
                    entry.getValue().end();
                });
    }

    private static void known(TomlSection section, String key, Optional<String> name, Set<String> names) {
        name.filter(each -> !names.contains(each)).ifPresent(unknown -> {
            throw section.wrong(key, "= \"" + unknown + "\" is unknown" + Nearest.hint(unknown, names));
        });
    }
}
