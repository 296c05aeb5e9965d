package org.slipstream.config;

import org.slipstream.core.DeclaredSetting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.text.Nearest;
import org.slipstream.qmgr.wake.RetrySettings;
import org.slipstream.qmgr.wake.RetrySettings.RetryKind;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.Forms;
import org.slipstream.settings.Key;
import org.slipstream.settings.SchemaSection;
import org.slipstream.settings.SourcePlace;
import org.slipstream.settings.Value;
import org.slipstream.settings.Values;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/// The retry policies: one section `[retry."name"]` each. A section with the name of a built-in
/// policy changes only the keys that it has.
final class RetryBook {
    private static final String COMMON = "queue.retry";
    private static final Map<String, List<RetryKind>> CURVE_KEYS = Map.of("factors", List.of(RetryKind.FACTORS),
            "pauses", List.of(RetryKind.LIST), "interval",
            List.of(RetryKind.AGE_DOUBLING, RetryKind.FACTORS, RetryKind.QUADRATIC));

    static final SchemaSection.NestedKeys KEYS = new SchemaSection.NestedKeys() {
        @Override
        public Optional<Key> find(String name) {
            return key(name);
        }

        @Override
        public Optional<String> meant(String name) {
            return RetryBook.meant(name);
        }

        @Override
        public List<Key> listed() {
            return keys();
        }

        @Override
        public boolean haveDefaults() {
            return true;
        }
    };

    private RetryBook() {}

    private static List<Key> keys() {
        return SettingsRecords.declared(RetrySettings.class).stream()
                .map(declared -> new Key(declared, Forms.of(declared.type(), declared.setting(), MailForms.ALL)))
                .toList();
    }

    /// @param name `slow.interval`; the name of a policy may have dots itself
    private static Optional<Key> key(String name) {
        int dot = name.lastIndexOf('.');
        return keys().stream().filter(key -> dot > 0 && key.name().equals(name.substring(dot + 1))).findFirst();
    }

    private static Optional<String> meant(String name) {
        int dot = name.lastIndexOf('.');
        if (dot <= 0) {
            return Optional.of("each policy has a section of its own: write [retry.\"name\"]");
        }
        return Nearest.to(name.substring(dot + 1), keys().stream().map(Key::name).toList())
                .map(near -> "did you mean \"" + near + "\"?");
    }

    /// All policies, the built-in ones first.
    static SequencedMap<String, RetrySettings> read(Values values, Complaints complaints) {
        Map<String, Map<String, Value>> own = new LinkedHashMap<>();
        values.table(ServerSchema.RETRY).forEach((name, value) -> own
                .computeIfAbsent(name.substring(0, name.lastIndexOf('.')), _ -> new LinkedHashMap<>())
                .put(name.substring(name.lastIndexOf('.') + 1), value));
        SequencedMap<String, RetrySettings> all = new LinkedHashMap<>(RetrySettings.builtIn());
        own.forEach((name, given) -> all.put(name, settings(name, given,
                all.getOrDefault(name, RetrySettings.defaults()), complaints)));
        own.forEach((name, given) -> given.forEach((key, value) -> {
            if (key.startsWith("on-") && value instanceof Value.Text other && !other.text().isEmpty()) {
                checkExists(other.text(), all.keySet(), value.place(), dotted(name, key), complaints);
            }
        }));
        String common = (String) values.of(ServerSchema.SERVER.key(COMMON).declared());
        if (values.isSound(COMMON) && !checkExists(common, all.keySet(), values.place(COMMON), COMMON, complaints)) {
            // The other checks need a policy; the whole is refused anyway.
            all.put(common, RetrySettings.defaults());
        }
        return all;
    }

    /// False, and a complaint, when there is no policy of this name.
    static boolean checkExists(String name, Set<String> all, SourcePlace place, String key,
            Complaints complaints) {
        if (all.contains(name)) {
            return true;
        }
        complaints.add(place, key, key + " = \"" + name + "\": there is no such retry policy",
                Optional.of(Nearest.to(name, all).map(near -> "did you mean \"" + near + "\"?")
                        .orElse("the policies are " + String.join(", ", all)
                                + "; a section [retry.\"name\"] makes another one")));
        return false;
    }

    private static RetrySettings settings(String name, Map<String, Value> given, RetrySettings base,
            Complaints complaints) {
        Map<String, Object> standard = new LinkedHashMap<>();
        List<DeclaredSetting> declared = SettingsRecords.declared(RetrySettings.class);
        for (int i = 0; i < declared.size(); i++) {
            standard.put(declared.get(i).name(), valueAt(base, i));
        }
        RetrySettings settings = SettingsRecords.make(RetrySettings.class,
                each -> read(name, each, given, complaints).orElseGet(() -> standard.get(each.name())));
        check(name, settings, given, complaints);
        return settings;
    }

    private static Object valueAt(RetrySettings settings, int index) {
        try {
            return RetrySettings.class.getRecordComponents()[index].getAccessor().invoke(settings);
        } catch (ReflectiveOperationException unforeseen) {
            throw new IllegalStateException("cannot read a retry policy", unforeseen);
        }
    }

    private static Optional<Object> read(String name, DeclaredSetting declared, Map<String, Value> given,
            Complaints complaints) {
        return Optional.ofNullable(given.get(declared.name()))
                .flatMap(value -> Forms.of(declared.type(), declared.setting(), MailForms.ALL)
                        .read(value, dotted(name, declared.name()), complaints));
    }

    private static void check(String name, RetrySettings settings, Map<String, Value> given, Complaints complaints) {
        CURVE_KEYS.forEach((key, kinds) -> {
            if (given.containsKey(key) && !kinds.contains(settings.kind())) {
                complaints.add(given.get(key).place(), dotted(name, key), dotted(name, key) + " has no meaning with"
                        + " kind = \"" + SettingsRecords.word(settings.kind()) + "\"",
                        Optional.of("write kind = \"" + SettingsRecords.word(kinds.getFirst()) + "\", or leave " + key
                                + " out"));
            }
        });
        boolean upsideDown = settings.interval().isPresent() && settings.longest().isPresent()
                && settings.interval().get().compareTo(settings.longest().get()) > 0;
        if (upsideDown) {
            String key = given.containsKey("longest") ? "longest" : "interval";
            complaints.add(Objects.requireNonNull(given.get(key)).place(), dotted(name, key),
                    ServerSchema.RETRY + "." + name + ": interval is more than longest");
        }
    }

    private static String dotted(String name, String key) {
        return ServerSchema.RETRY + "." + name + "." + key;
    }
}
