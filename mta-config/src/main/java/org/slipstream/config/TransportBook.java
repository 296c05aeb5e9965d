package org.slipstream.config;

import org.slipstream.core.SettingsRecords;
import org.slipstream.core.text.Nearest;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.Key;
import org.slipstream.settings.SchemaSection;
import org.slipstream.settings.Value;
import org.slipstream.settings.Values;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The settings of transports: once for all, in `[queue]`, `[scheduler]` and `[concurrency]`, and
/// again for those that differ, in `[transport.smtp]` and the like, under the same names.
final class TransportBook {
    private static final List<String> TRANSPORTS = List.of("smtp", "lmtp", "local", "discard");
    private static final String INITIAL = "initial-destination-concurrency";
    private static final String LIMIT = "lanes-per-destination";

    static final SchemaSection.NestedKeys KEYS = new SchemaSection.NestedKeys() {
        @Override
        public Optional<Key> find(String name) {
            return key(name);
        }

        @Override
        public Optional<String> meant(String name) {
            return TransportBook.meant(name);
        }

        /// They stand in the sections for all transports.
        @Override
        public List<Key> listed() {
            return List.of();
        }

        @Override
        public boolean haveFreeNames() {
            return false;
        }
    };

    private TransportBook() {}

    private static Stream<Key> keys() {
        return SettingsRecords.declared(TransportSettings.class).stream()
                .map(declared -> ServerSchema.SERVER.key(declared.dotted()));
    }

    /// @param name `smtp.lanes`
    private static Optional<Key> key(String name) {
        int dot = name.indexOf('.');
        return dot > 0 && TRANSPORTS.contains(name.substring(0, dot))
                ? keys().filter(key -> key.name().equals(name.substring(dot + 1))).findFirst()
                : Optional.empty();
    }

    private static Optional<String> meant(String name) {
        int dot = name.indexOf('.');
        String transport = dot > 0 ? name.substring(0, dot) : name;
        if (!TRANSPORTS.contains(transport)) {
            return Optional.of("the transports are " + String.join(", ", TRANSPORTS));
        }
        Optional<String> near = Nearest.to(name.substring(dot + 1), keys().map(Key::name).toList());
        return near.map(n -> "did you mean \"" + n + "\"?")
                .or(() -> Optional.of("only settings of a single transport stand here"));
    }

    static TransportTable read(Values values, Complaints complaints) {
        Map<String, Map<String, Value>> own = new TreeMap<>();
        values.table(ServerSchema.TRANSPORT).forEach((name, value) -> own
                .computeIfAbsent(name.substring(0, name.indexOf('.')), _ -> new LinkedHashMap<>())
                .put(name.substring(name.indexOf('.') + 1), value));
        TransportTable table = TransportTable.of(settings(new Reading("", Map.of(), values, complaints)));
        for (Map.Entry<String, Map<String, Value>> each : own.entrySet()) {
            table = table.with(each.getKey(),
                    settings(new Reading(each.getKey(), each.getValue(), values, complaints)));
        }
        return table;
    }

    private static TransportSettings settings(Reading reading) {
        TransportSettings settings = SettingsRecords.make(TransportSettings.class,
                declared -> reading.value(ServerSchema.SERVER.key(declared.dotted())));
        int limit = settings.concurrencyLimit();
        int initial = settings.initialConcurrency();
        if (limit == 0 || initial <= limit) {
            return settings;
        }
        reading.contradiction(INITIAL + " (" + initial + ") is more than " + LIMIT + " (" + limit + ")");
        return settings.withConcurrency(settings.processLimit(), limit, limit);
    }

    /// The values of one transport, or of all.
    ///
    /// @param transport empty for all
    private record Reading(String transport, Map<String, Value> own, Values values, Complaints complaints) {
        Object value(Key key) {
            Value value = own.get(key.name());
            return value == null ? values.of(key.declared()) : ownValue(key, value);
        }

        private Object ownValue(Key key, Value value) {
            Optional<?> read = key.form().read(value, dotted(key.name()), complaints);
            return read.isPresent() ? read.get() : values.of(key.declared());
        }

        private String dotted(String name) {
            return ServerSchema.TRANSPORT + "." + transport + "." + name;
        }

        /// Reported where an operator wrote one of the two numbers. Without that, a default exceeds
        /// the limit of another section and is lowered in silence.
        void contradiction(String words) {
            if (transport.isEmpty()) {
                String initial = "concurrency." + INITIAL;
                if (values.isGiven(initial)) {
                    complaints.add(values.place(initial), initial, words);
                }
                return;
            }
            for (String name : List.of(INITIAL, LIMIT)) {
                Value value = own.get(name);
                if (value != null) {
                    complaints.add(value.place(), dotted(name), "transport." + transport + ": " + words);
                    return;
                }
            }
        }
    }
}
