package org.slipstream.config;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.SettingsSection;
import org.slipstream.core.TransportKind;
import org.slipstream.core.text.Nearest;
import org.slipstream.local.program.PipeSettings;
import org.slipstream.local.program.ProgramArguments;
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
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The settings of transports: once for all, in `[queue]`, `[scheduler]` and `[concurrency]`, and
/// again for those that differ, in `[transport.smtp]` and the like, under the same names. A section
/// with a `kind` makes a further transport, and one of the kind `pipe` has a program.
final class TransportBook {
    static final int MOST_NAMED = 32;
    private static final String COMMAND = "command";
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");
    /// They mean something else where a transport may stand.
    private static final Set<String> RESERVED = Set.of("mx", "smtps", "unix", "default", "auto");
    private static final Key KIND = keysOf(OwnTransport.class).getFirst();
    private static final List<Key> PROGRAM = keysOf(PipeSettings.class);
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
                    "smtp", "lmtp", "local", "discard", "pipe"},
                    doc = "Makes a transport of this name, which delivers in this way; routes and"
                            + " `[destination]` name it.") String kind) {}

    /// @param programs of the transports of the kind `pipe`, by the name of the transport
    record Transports(TransportTable table, SequencedMap<String, PipeSettings> programs) {}

    private static List<Key> keysOf(Class<? extends Record> settings) {
        return SettingsRecords.declared(settings).stream()
                .map(declared -> new Key(declared, Forms.of(declared.type(), declared.setting(), MailForms.ALL)))
                .toList();
    }

    private static Stream<Key> keys() {
        return Stream.concat(Stream.concat(Stream.of(KIND), PROGRAM.stream()),
                SettingsRecords.declared(TransportSettings.class).stream()
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

    static Transports read(Values values, Complaints complaints) {
        Map<String, Map<String, Value>> own = new TreeMap<>();
        values.table(ServerSchema.TRANSPORT).forEach((name, value) -> own
                .computeIfAbsent(name.substring(0, name.indexOf('.')), _ -> new LinkedHashMap<>())
                .put(name.substring(name.indexOf('.') + 1), value));
        TransportTable table = TransportTable.of(settings(new Reading("", Map.of(), values, complaints)));
        SequencedMap<String, PipeSettings> programs = new TreeMap<>();
        for (Map.Entry<String, Map<String, Value>> each : own.entrySet()) {
            Optional<TransportKind> kind = kind(each.getKey(), each.getValue(), table.named().size(), complaints);
            if (kind.isPresent()) {
                table = table.with(each.getKey(), kind.get());
            }
            Reading reading = new Reading(each.getKey(), each.getValue(), values, complaints);
            table = table.with(each.getKey(), settings(reading));
            if (kind.equals(Optional.of(TransportKind.PIPE))) {
                program(reading).ifPresent(program -> programs.put(each.getKey(), program));
            } else {
                reading.noProgram();
            }
        }
        return new Transports(table, programs);
    }

    /// Empty after a mistake.
    private static Optional<PipeSettings> program(Reading reading) {
        int before = reading.complaints().count();
        PipeSettings settings = SettingsRecords.make(PipeSettings.class, declared -> reading.program(
                PROGRAM.stream().filter(key -> key.name().equals(declared.name())).findFirst().orElseThrow()));
        reading.check(settings);
        return reading.complaints().count() == before ? Optional.of(settings) : Optional.empty();
    }

    /// The kind of a transport that the section makes; empty for the usual ones, and after a mistake.
    ///
    /// @param before transports that other sections have made
    private static Optional<TransportKind> kind(String name, Map<String, Value> own, int before,
            Complaints complaints) {
        String section = ServerSchema.TRANSPORT + "." + name;
        SourcePlace place = own.values().iterator().next().place();
        Value given = own.get(KIND.name());
        Optional<TransportKind> usual = TransportKind.ofUsual(name);
        if (usual.isPresent()) {
            if (given != null) {
                complaints.add(given.place(), section + ".kind", section + ".kind: the kind of \"" + name
                        + "\" is fixed", Optional.of("give the transport another name"));
            }
            return Optional.empty();
        }
        if (given == null) {
            List<String> words = TransportKind.usual();
            complaints.add(place, section, "[" + section + "]: there is no transport \"" + name + "\"",
                    Nearest.to(name, words).map(near -> "did you mean \"" + near + "\"?")
                            .or(() -> Optional.of("for a transport of your own write kind = \"smtp\", or "
                                    + String.join(", ", words.subList(1, words.size())) + ", pipe")));
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

        Object program(Key key) {
            Value given = own.getOrDefault(key.name(), key.defaultValue(""));
            return key.form().read(given, dotted(key.name()), complaints).map(Object.class::cast)
                    .orElseGet(() -> key.form().read(key.defaultValue(""), "", complaints).orElseThrow());
        }

        /// The parts of a program that a form cannot tell alone.
        void check(PipeSettings settings) {
            SourcePlace place = own.values().iterator().next().place();
            String key = dotted(COMMAND);
            if (settings.command().isEmpty()) {
                complaints.add(place, key, key + ": a transport of the kind pipe needs its program",
                        Optional.of("write command = [\"/usr/local/bin/program\", \"${recipient}\"]"));
            } else if (!settings.command().getFirst().startsWith("/")) {
                complaints.add(place, key, key + ": the program \"" + settings.command().getFirst()
                        + "\" is not a whole path");
            }
            settings.command().stream().map(ProgramArguments::unknownName).flatMap(Optional::stream).findFirst()
                    .ifPresent(name -> complaints.add(place, key, key + ": there is no ${" + name + "}",
                            Optional.of("the names are " + String.join(", ", ProgramArguments.names()))));
        }

        /// The keys of a program in the section of another kind.
        void noProgram() {
            PROGRAM.stream().map(Key::name).forEach(name -> Optional.ofNullable(own.get(name)).ifPresent(
                    given -> complaints.add(given.place(), dotted(name), dotted(name)
                            + ": only a transport of the kind pipe has it")));
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
