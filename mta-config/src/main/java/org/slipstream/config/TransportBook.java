package org.slipstream.config;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.SettingsSection;
import org.slipstream.core.TransportKind;
import org.slipstream.core.text.Nearest;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;
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
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The settings of transports: once for all, in `[queue]`, `[scheduler]` and `[concurrency]`, and
/// again for those that differ, in `[transport.smtp]` and the like, under the same names. A section
/// with a `kind` makes a further transport.
final class TransportBook {
    static final int MOST_NAMED = 32;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");
    /// They mean something else where a transport may stand.
    private static final Set<String> RESERVED = Set.of("mx", "smtps", "unix", "default", "auto");
    private static final Key KIND = SettingsRecords.declared(OwnTransport.class).stream()
            .map(declared -> new Key(declared, Forms.of(declared.type(), declared.setting(), MailForms.ALL)))
            .findFirst().orElseThrow();
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

    @SettingsSection("transport")
    record OwnTransport(
            @Setting(value = "smtp", oneOf = {
                    "smtp", "lmtp", "local", "discard"},
                    doc = "Makes a transport of this name, which delivers in this way; routes and"
                            + " `[destination]` name it.") String kind) {}

    private static Stream<Key> keys() {
        return Stream.concat(Stream.of(KIND), SettingsRecords.declared(TransportSettings.class).stream()
                .map(declared -> ServerSchema.SERVER.key(declared.dotted())));
    }

    private static boolean isName(String name) {
        return NAME.matcher(name).matches() && !RESERVED.contains(name);
    }

    /// @param name `smtp.lanes`
    private static Optional<Key> key(String name) {
        int dot = name.indexOf('.');
        return dot > 0 && isName(name.substring(0, dot))
                ? keys().filter(key -> key.name().equals(name.substring(dot + 1))).findFirst()
                : Optional.empty();
    }

    private static Optional<String> meant(String name) {
        int dot = name.indexOf('.');
        String transport = dot > 0 ? name.substring(0, dot) : name;
        if (!isName(transport)) {
            return Optional.of("a name has letters in lower case, digits and \"-\", at most 32, and is not "
                    + String.join(", ", RESERVED.stream().sorted().toList()));
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
            Optional<TransportKind> kind = kind(each.getKey(), each.getValue(), table.named().size(), complaints);
            if (kind.isPresent()) {
                table = table.with(each.getKey(), kind.get());
            }
            table = table.with(each.getKey(),
                    settings(new Reading(each.getKey(), each.getValue(), values, complaints)));
        }
        return table;
    }

    /// The kind of a transport that the section makes; empty for the usual ones, and after a mistake.
    ///
    /// @param before transports that other sections have made
    private static Optional<TransportKind> kind(String name, Map<String, Value> own, int before,
            Complaints complaints) {
        String section = ServerSchema.TRANSPORT + "." + name;
        SourcePlace place = own.values().iterator().next().place();
        Value given = own.get(KIND.name());
        Optional<TransportKind> usual = TransportKind.of(name);
        if (usual.isPresent()) {
            if (given != null) {
                complaints.add(given.place(), section + ".kind", section + ".kind: the kind of \"" + name
                        + "\" is fixed", Optional.of("give the transport another name"));
            }
            return Optional.empty();
        }
        if (given == null) {
            List<String> words = TransportKind.words();
            complaints.add(place, section, "[" + section + "]: there is no transport \"" + name + "\"",
                    Nearest.to(name, words).map(near -> "did you mean \"" + near + "\"?")
                            .or(() -> Optional.of("for a transport of your own write kind = \"smtp\", or "
                                    + String.join(", ", words.subList(1, words.size())))));
            return Optional.empty();
        }
        if (before >= MOST_NAMED) {
            complaints.add(place, section, "[" + section + "]: there are more than " + MOST_NAMED + " transports");
            return Optional.empty();
        }
        return KIND.form().read(given, section + ".kind", complaints)
                .flatMap(word -> TransportKind.of(String.valueOf(word)));
    }

    /// A transport that a route or a clause names must exist.
    static void checkExists(String transport, TransportTable table, SourcePlace place, String key,
            Complaints complaints) {
        if (table.kind(transport).isEmpty()) {
            complaints.add(place, key, key + ": there is no section [transport." + transport + "]",
                    Nearest.to(transport, table.names()).map(near -> "did you mean \"" + near + "\"?"));
        }
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
