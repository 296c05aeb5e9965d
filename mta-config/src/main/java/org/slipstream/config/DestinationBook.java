package org.slipstream.config;

import org.slipstream.core.DeclaredSetting;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.ProviderTable.Provider;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.text.Nearest;
import org.slipstream.events.account.AccountClause;
import org.slipstream.qmgr.settings.TransportTable;
import org.slipstream.qmgr.wake.DestinationPattern;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.ProviderRules;
import org.slipstream.qmgr.wake.ProviderSettings;
import org.slipstream.qmgr.wake.RingSettings;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.Form;
import org.slipstream.settings.Forms;
import org.slipstream.settings.Key;
import org.slipstream.settings.SchemaSection;
import org.slipstream.settings.Value;
import org.slipstream.settings.Values;

import java.lang.reflect.ParameterizedType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The reader of `[destination."…"]`, `[ring."…"]`, `[provider.NAME]` and `[account."…"]`. Clauses keep the order of
/// the file; those that only `--set` names follow.
final class DestinationBook {
    private static final List<Key> CLAUSE = keys(DestinationSettings.class);
    private static final List<Key> RING = keys(RingSettings.class);
    private static final List<Key> PROVIDER = keys(ProviderSettings.class);
    private static final List<Key> ACCOUNT = keys(AccountClause.class);
    private static final String FORMS = "a domain, a \".suffix\", \"*\", \"mx:host\", \"provider:name\", \"smtp:host:port\","
            + " \"lmtp:host:port\" or \"lmtp:unix:/path\"";

    static final SchemaSection.NestedKeys CLAUSES = new ClauseKeys(ServerSchema.DESTINATION);
    static final SchemaSection.NestedKeys RINGS = new ClauseKeys(ServerSchema.RING);
    static final SchemaSection.NestedKeys PROVIDERS = new ClauseKeys(ServerSchema.PROVIDER);
    static final SchemaSection.NestedKeys ACCOUNTS = new ClauseKeys(ServerSchema.ACCOUNT);

    private DestinationBook() {}

    private record ClauseKeys(String section) implements SchemaSection.NestedKeys {
        @Override
        public Optional<Key> find(String name) {
            return key(section, name);
        }

        @Override
        public Optional<String> meant(String name) {
            return DestinationBook.meant(section, name);
        }

        @Override
        public List<Key> listed() {
            return keys(section);
        }
    }

    private static List<Key> keys(Class<? extends Record> type) {
        return SettingsRecords.declared(type).stream().map(declared -> new Key(declared, form(declared))).toList();
    }

    // A setting that stands in a clause has a value; only one that is absent is empty.
    private static Form<?> form(DeclaredSetting declared) {
        if (!(declared.type() instanceof ParameterizedType optional) || !declared.setting().form().isEmpty()) {
            return Forms.of(declared.type(), declared.setting(), MailForms.ALL);
        }
        Class<?> inner = (Class<?>) optional.getActualTypeArguments()[0];
        if (inner == Integer.class) {
            return Forms.of(int.class, declared.setting(), MailForms.ALL);
        }
        if (inner == Boolean.class) {
            return Forms.of(boolean.class, declared.setting(), MailForms.ALL);
        }
        return Forms.of(inner, declared.setting(), MailForms.ALL);
    }

    private static List<Key> keys(String section) {
        return switch (section) {
            case ServerSchema.RING -> RING;
            case ServerSchema.PROVIDER -> PROVIDER;
            case ServerSchema.ACCOUNT -> ACCOUNT;
            default -> CLAUSE;
        };
    }

    /// @param name `example.org.lanes`
    private static Optional<Key> key(String section, String name) {
        int dot = name.lastIndexOf('.');
        return keys(section).stream().filter(key -> dot > 0 && key.name().equals(name.substring(dot + 1))).findFirst();
    }

    private static Optional<String> meant(String section, String name) {
        int dot = name.lastIndexOf('.');
        List<String> names = keys(section).stream().map(Key::name).toList();
        if (dot <= 0) {
            return Optional.of("write [" + section + ".\"name\"] on a line of its own, and the keys below it");
        }
        return Nearest.to(name.substring(dot + 1), names).map(near -> "did you mean \"" + near + "\"?")
                .or(() -> Optional.of("the keys of a clause are " + String.join(", ", names)));
    }

    static DestinationTable read(Values values, Set<String> retries, TransportTable transports,
            Complaints complaints) {
        Map<String, RingSettings> rings = new TreeMap<>();
        clauses(ServerSchema.RING, values).forEach((name, own) -> rings.put(name,
                section(RingSettings.class, ServerSchema.RING, name, own, complaints)));
        ProviderRules providers = providers(values, complaints);
        List<DestinationTable.Clause> clauses = new ArrayList<>();
        clauses(ServerSchema.DESTINATION, values).forEach((name, own) -> clause(name, own, complaints)
                .ifPresent(clause -> {
                    clauses.add(clause);
                    checkRing(name, clause, own, rings, complaints);
                    checkProvider(name, clause, own, providers, complaints);
                    clause.settings().transport().ifPresent(transport -> TransportBook.checkExists(transport,
                            transports, Objects.requireNonNull(own.get("transport")).place(),
                            ServerSchema.DESTINATION + ".\"" + name + "\".transport", complaints));
                    clause.settings().retry().ifPresent(policy -> RetryBook.checkExists(policy, retries,
                            Objects.requireNonNull(own.get("retry")).place(),
                            ServerSchema.DESTINATION + ".\"" + name + "\".retry", complaints));
                }));
        return new DestinationTable(clauses, rings).withProviders(providers);
    }

    private static ProviderRules providers(Values values, Complaints complaints) {
        Map<String, ProviderSettings> sections = new TreeMap<>();
        clauses(ServerSchema.PROVIDER, values).forEach((name, own) -> {
            String section = ServerSchema.PROVIDER + "." + name;
            ProviderSettings settings = section(ProviderSettings.class, ServerSchema.PROVIDER, name, own, complaints);
            if (!ProviderTable.isName(name)) {
                complaints.add(own.values().iterator().next().place(), section, "[" + section
                        + "]: the name of a provider has 1 to 64 small letters, digits and hyphens, and \""
                        + ProviderTable.OTHER + "\" is none", Optional.empty());
                return;
            }
            if (settings.known() && settings.hosts().isEmpty() && settings.addresses().isEmpty()
                    && !ProviderTable.shipped().isKnown(name)) {
                complaints.add(own.values().iterator().next().place(), section, "[" + section
                        + "]: the program does not know this provider, and the section has no hosts",
                        Nearest.to(name, ProviderTable.shipped().providers().stream().map(Provider::name).toList())
                                .map(near -> "did you mean \"" + near + "\"?")
                                .or(() -> Optional.of("add hosts = [\".example.org\"], or addresses")));
                return;
            }
            sections.put(name, settings);
            try {
                new ProviderRules(sections).table();
            } catch (IllegalArgumentException tooLarge) {
                sections.remove(name);
                complaints.add(own.values().iterator().next().place(), section,
                        "[" + section + "]: " + tooLarge.getMessage(), Optional.empty());
            }
        });
        return new ProviderRules(sections);
    }

    /// A section with the defaults of its record.
    private static <R extends Record> R section(Class<R> type, String section, String name, Map<String, Value> own,
            Complaints complaints) {
        return SettingsRecords.map(SettingsRecords.defaults(type), (declared, otherwise) -> {
            Optional<Object> value = value(section, name, declared, own, complaints);
            return otherwise instanceof Optional ? value : value.orElse(otherwise);
        });
    }

    private static void checkProvider(String name, DestinationTable.Clause clause, Map<String, Value> own,
            ProviderRules providers, Complaints complaints) {
        if (clause.pattern() instanceof DestinationPattern.OfProvider(String provider)
                && !providers.table().isKnown(provider)) {
            String section = ServerSchema.DESTINATION + ".\"" + name + "\"";
            complaints.add(own.values().iterator().next().place(), section,
                    "[" + section + "]: there is no provider \"" + provider + "\"",
                    Nearest.to(provider, providers.table().providers().stream().map(Provider::name).toList())
                            .map(near -> "did you mean \"provider:" + near + "\"?")
                            .or(() -> Optional.of("add a section [provider." + provider + "] with its hosts")));
        }
    }

    /// The clauses of `[account."…"]` by name; a domain is in lower case.
    static Map<String, AccountClause> accounts(Values values, Complaints complaints) {
        Map<String, AccountClause> accounts = new LinkedHashMap<>();
        clauses(ServerSchema.ACCOUNT, values).forEach((name, own) -> accounts.put(
                name.startsWith("@") ? name.toLowerCase(Locale.ROOT) : name,
                SettingsRecords.make(AccountClause.class,
                        declared -> value(ServerSchema.ACCOUNT, name, declared, own, complaints))));
        return accounts;
    }

    private static Optional<DestinationTable.Clause> clause(String name, Map<String, Value> own,
            Complaints complaints) {
        Optional<DestinationPattern> pattern = DestinationPattern.parse(name);
        if (pattern.isEmpty()) {
            String section = ServerSchema.DESTINATION + ".\"" + name + "\"";
            complaints.add(own.values().iterator().next().place(), section,
                    "[" + section + "]: \"" + name + "\" is not " + FORMS, meantPattern(name));
        }
        DestinationSettings settings = SettingsRecords.make(DestinationSettings.class,
                declared -> value(ServerSchema.DESTINATION, name, declared, own, complaints));
        return pattern.map(each -> new DestinationTable.Clause(each, settings));
    }

    private static Optional<String> meantPattern(String name) {
        return name.startsWith("*.") && DestinationPattern.parse(name.substring(1)).isPresent()
                ? Optional.of("for all subdomains write \"" + name.substring(1) + "\"")
                : Optional.empty();
    }

    private static void checkRing(String name, DestinationTable.Clause clause, Map<String, Value> own,
            Map<String, RingSettings> rings, Complaints complaints) {
        Optional<String> unknown = clause.settings().ring().filter(ring -> !rings.containsKey(ring));
        if (unknown.isPresent()) {
            String key = ServerSchema.DESTINATION + ".\"" + name + "\".ring";
            complaints.add(Objects.requireNonNull(own.get("ring")).place(), key,
                    key + ": there is no section [ring.\"" + unknown.get() + "\"]",
                    Nearest.to(unknown.get(), List.copyOf(rings.keySet()))
                            .map(near -> "did you mean \"" + near + "\"?")
                            .or(() -> Optional.of("add it, with the key lanes")));
        }
    }

    private static Optional<Object> value(String section, String name, DeclaredSetting declared,
            Map<String, Value> own, Complaints complaints) {
        Value value = own.get(declared.name());
        if (value == null) {
            return Optional.empty();
        }
        Key key = key(section, name + "." + declared.name()).orElseThrow();
        return key.form().read(value, section + ".\"" + name + "\"." + declared.name(), complaints)
                .map(Object.class::cast);
    }

    /// The values of each clause by key, in the order of the file.
    private static Map<String, Map<String, Value>> clauses(String section, Values values) {
        Map<String, Map<String, Value>> clauses = new LinkedHashMap<>();
        values.table(section).forEach((name, value) -> clauses
                .computeIfAbsent(name.substring(0, name.lastIndexOf('.')), _ -> new LinkedHashMap<>())
                .put(name.substring(name.lastIndexOf('.') + 1), value));
        return clauses.entrySet().stream()
                .sorted(Comparator.comparingInt(clause -> firstLine(clause.getValue())))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (one, _) -> one,
                        LinkedHashMap::new));
    }

    private static int firstLine(Map<String, Value> own) {
        return own.values().stream().mapToInt(value -> value.place().line()).filter(line -> line > 0).min()
                .orElse(Integer.MAX_VALUE);
    }
}
