package org.slipstream.config;

import org.slipstream.core.SettingsRecords;
import org.slipstream.core.text.Nearest;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.Forms;
import org.slipstream.settings.Key;
import org.slipstream.settings.SchemaSection;
import org.slipstream.settings.SourcePlace;
import org.slipstream.settings.Value;
import org.slipstream.settings.Values;
import org.slipstream.smtpout.source.PoolSettings;
import org.slipstream.smtpout.source.SourceSettings;
import org.slipstream.smtpout.source.SourceTable;
import org.slipstream.smtpout.wire.ProxyExit;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// The reader of `[source.NAME]` and `[pool.NAME]`.
final class SourceBook {
    static final SectionKeys SOURCES = new SectionKeys(ServerSchema.SOURCE, keys(SourceSettings.class));
    static final SectionKeys POOLS = new SectionKeys(ServerSchema.POOL, keys(PoolSettings.class));

    private final Values values;
    private final Complaints complaints;

    private SourceBook(Values values, Complaints complaints) {
        this.values = values;
        this.complaints = complaints;
    }

    private static List<Key> keys(Class<? extends Record> type) {
        return SettingsRecords.declared(type).stream()
                .map(declared -> new Key(declared, Forms.of(declared.type(), declared.setting(), MailForms.ALL)))
                .toList();
    }

    /// The keys of sections whose names the operator invents.
    record SectionKeys(String section, List<Key> listed) implements SchemaSection.NestedKeys {
        @Override
        public Optional<Key> find(String name) {
            int dot = name.lastIndexOf('.');
            return listed.stream().filter(key -> dot > 0 && key.name().equals(name.substring(dot + 1))).findFirst();
        }

        @Override
        public Optional<String> meant(String name) {
            int dot = name.lastIndexOf('.');
            List<String> names = listed.stream().map(Key::name).toList();
            return dot <= 0
                    ? Optional.of("write [" + section + ".name] on a line of its own, and the keys below it")
                    : Nearest.to(name.substring(dot + 1), names).map(near -> "did you mean \"" + near + "\"?")
                            .or(() -> Optional.of("the keys are " + String.join(", ", names)));
        }

        @Override
        public boolean haveDefaults() {
            return true;
        }
    }

    static SourceTable read(Values values, Complaints complaints) {
        SourceBook book = new SourceBook(values, complaints);
        Map<String, Map<String, Value>> sources = book.sections(ServerSchema.SOURCE, SourceTable.MOST_SOURCES);
        Map<String, Map<String, Value>> pools = book.sections(ServerSchema.POOL, SourceTable.MOST_POOLS);
        Map<String, SourceSettings> readSources = new LinkedHashMap<>();
        sources.forEach((name, given) -> {
            SourceSettings settings = book.record(SourceSettings.class, SOURCES, name, given);
            book.check(name, given, settings);
            readSources.put(name, settings);
        });
        Map<String, PoolSettings> readPools = new LinkedHashMap<>();
        pools.forEach((name, given) -> readPools.put(name, book.record(PoolSettings.class, POOLS, name, given)));
        book.check(pools, readPools, readSources);
        return new SourceTable(readSources, readPools);
    }

    private Map<String, Map<String, Value>> sections(String section, int most) {
        Map<String, Map<String, Value>> sections = new LinkedHashMap<>();
        values.table(section).forEach((name, value) -> sections
                .computeIfAbsent(name.substring(0, name.lastIndexOf('.')), _ -> new LinkedHashMap<>())
                .put(name.substring(name.lastIndexOf('.') + 1), value));
        if (sections.size() > most) {
            complaints.add(place(sections.values().iterator().next()), section,
                    "there are " + sections.size() + " sections [" + section + ".…], and " + most + " are possible");
        }
        sections.forEach((name, given) -> {
            if (!SourceTable.isName(name)) {
                complaints.add(place(given), section + "." + name, section + "." + name
                        + ": a name has a-z, 0-9 and -, 32 characters at most");
            }
        });
        return sections;
    }

    private static SourcePlace place(Map<String, Value> given) {
        return given.values().iterator().next().place();
    }

    private <T extends Record> T record(Class<T> type, SectionKeys keys, String name, Map<String, Value> given) {
        return SettingsRecords.make(type, declared -> {
            Key key = keys.find(name + "." + declared.name()).orElseThrow();
            Value value = given.getOrDefault(declared.name(), key.defaultValue(""));
            return key.form().read(value, keys.section() + "." + name + "." + declared.name(), complaints)
                    .map(Object.class::cast)
                    .orElseGet(() -> key.form().read(key.defaultValue(""), "", complaints).orElseThrow());
        });
    }

    private void check(String name, Map<String, Value> given, SourceSettings settings) {
        if (settings.exitLogin().isPresent()
                && !settings.exit().filter(ProxyExit.Socks5.class::isInstance).isPresent()) {
            complain(ServerSchema.SOURCE, name, "exit-login", given, "there is no exit \"socks5://…\" to log in at");
        }
        if (settings.warmUpDays().isEmpty() || settings.warmUpDays().size() > SourceSettings.MOST_DAYS) {
            complain(ServerSchema.SOURCE, name, "warm-up-days", given,
                    "a schedule has 1 to " + SourceSettings.MOST_DAYS + " days");
        }
    }

    private void check(Map<String, Map<String, Value>> given, Map<String, PoolSettings> pools,
            Map<String, SourceSettings> sources) {
        Map<String, String> taken = new HashMap<>();
        pools.forEach((name, pool) -> {
            Map<String, Value> own = Objects.requireNonNull(given.get(name));
            if (pool.sources().isEmpty() || pool.sources().size() > PoolSettings.MOST_MEMBERS) {
                complain(ServerSchema.POOL, name, "sources", own,
                        "a pool has 1 to " + PoolSettings.MOST_MEMBERS + " sources");
            }
            Set<String> members = new HashSet<>();
            for (PoolSettings.PoolMember member : pool.sources()) {
                if (!sources.containsKey(member.source())) {
                    complain(ServerSchema.POOL, name, "sources", own,
                            "there is no section [source." + member.source() + "]");
                }
                if (!members.add(member.source())) {
                    complain(ServerSchema.POOL, name, "sources", own, member.source() + " stands there twice");
                }
            }
            Map.of("senders", pool.senders(), "users", pool.users(), "providers", pool.providers())
                    .forEach((key, names) -> {
                        if (names.size() > PoolSettings.MOST_NAMES) {
                            complain(ServerSchema.POOL, name, key, own,
                                    PoolSettings.MOST_NAMES + " names are possible");
                        }
                        for (String each : Set.copyOf(names)) {
                            Optional.ofNullable(taken.putIfAbsent(key + " " + each, name)).ifPresent(
                                    other -> complain(ServerSchema.POOL, name, key, own,
                                            "\"" + each + "\" uses the pool " + other + " already"));
                        }
                    });
        });
    }

    private void complain(String section, String name, String key, Map<String, Value> given, String words) {
        String dotted = section + "." + name + "." + key;
        complaints.add(Optional.ofNullable(given.get(key)).map(Value::place).orElseGet(() -> place(given)), dotted,
                dotted + ": " + words);
    }

    /// The pools that clauses name must exist.
    static void checkPools(DestinationTable destinations, SourceTable table, Values values, Complaints complaints) {
        for (DestinationTable.Clause clause : destinations.clauses()) {
            clause.settings().pool().filter(pool -> !table.pools().containsKey(pool)).ifPresent(pool -> {
                String key = ServerSchema.DESTINATION + ".\"" + clause.pattern().text() + "\".pool";
                Value given = values.table(ServerSchema.DESTINATION).get(clause.pattern().text() + ".pool");
                complaints.add(given == null ? new SourcePlace("mta.toml", 0) : given.place(), key,
                        key + ": there is no section [pool." + pool + "]",
                        Nearest.to(pool, List.copyOf(table.pools().keySet()))
                                .map(near -> "did you mean \"" + near + "\"?"));
            });
        }
    }
}
