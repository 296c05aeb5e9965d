package org.slipstream.lab.scenario;

import org.slipstream.core.DeclaredSetting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.TransportKind;
import org.slipstream.lab.QueueManagers;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.picture.TimeAxis;
import org.slipstream.qmgr.flow.Feedback;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.PlacementSettings;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.qmgr.wake.RetrySettings.JitterPercent;
import org.slipstream.qmgr.wake.RetrySettings.RetryFactors;
import org.slipstream.qmgr.wake.RetrySettings.RetryPauses;
import org.slipstream.settings.TomlSection;

import java.lang.reflect.ParameterizedType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Reads the settings of the queue manager: `[settings]`, `[transport]`, `[transport.NAME]` and
/// `[placement]`. Keys have the names of `mta.toml`; the defaults are those of Postfix.
final class SettingsReader {
    private static final int RECIPIENT_BATCH = 5_000;
    private static final long NO_CRASH = -1;

    /// @param config without transports
    /// @param crashesMillis times at which the server is killed and starts again
    /// @param common settings of transports without a section
    /// @param transports by their names in the file
    /// @param kinds of those transports that name one
    /// @param placement rules for these settings
    record ScenarioSettings(QmgrConfig config, List<Long> crashesMillis, OwnServer ownServer, TransportSettings common,
            SequencedMap<String, TransportSettings> transports, Map<String, TransportKind> kinds,
            Function<QmgrConfig, PlaceRules> placement) {
        /// @param kinds of the transports in use
        QmgrConfig config(Map<String, TransportKind> kinds) {
            TransportTable table = TransportTable.of(common);
            for (var each : kinds.entrySet()) {
                if (TransportKind.ofUsual(each.getKey()).isEmpty()) {
                    table = table.with(each.getKey(), each.getValue());
                }
                table = table.with(each.getKey(), transports.getOrDefault(each.getKey(), common));
            }
            return config.withTransports(table);
        }
    }

    private SettingsReader() {}

    static ScenarioSettings read(TomlSection root) {
        TransportSettings common = TransportSettings.defaults();
        SequencedMap<String, TransportSettings> transports = new TreeMap<>();
        Map<String, TransportKind> kinds = new TreeMap<>();
        Optional<TomlSection> all = root.section("transport");
        if (all.isPresent()) {
            List<String> names = all.get().tables();
            TransportSettings usual = transport(all.get(), common);
            names.forEach(name -> {
                TomlSection named = all.get().section(name).orElseThrow();
                kind(named, name).ifPresent(kind -> kinds.put(name, kind));
                transports.put(name, transport(named, usual));
            });
            all.get().end();
            common = usual;
        }
        var section = root.section("settings");
        return new ScenarioSettings(section.map(SettingsReader::config).orElseGet(SettingsReader::defaults),
                section.map(SettingsReader::crashes).orElse(List.of()),
                section.map(SettingsReader::ownServer).orElseGet(() -> ownServer(0, 0, 0, 30_000, 300_000)), common,
                transports, kinds,
                root.section("placement").map(SettingsReader::placement).orElse(QueueManagers::oneAtATime));
    }

    private static Optional<TransportKind> kind(TomlSection section, String name) {
        if (TransportKind.ofUsual(name).isPresent() && section.has("kind")) {
            throw section.wrong("kind", "is for a transport with a name of its own; \"" + name + "\" has its kind");
        }
        return section.oneOf("kind", Stream.of(TransportKind.values())
                .collect(Collectors.toMap(TransportKind::word, kind -> kind)));
    }

    /// Without the section, a connection has one delivery at a time, as in Postfix.
    private static Function<QmgrConfig, PlaceRules> placement(TomlSection section) {
        PlacementSettings placement = declared(section, PlacementSettings.defaults());
        int depth = section.count("connection-depth", 1, placement.connectionDepth());
        if (placement.mostConnectionDepth() < depth) {
            throw section.wrong("most-connection-depth", "= " + placement.mostConnectionDepth()
                    + " is below connection-depth = " + depth + "; make it at least " + depth);
        }
        section.end();
        return config -> config.smtpRules(placement);
    }

    /// The settings of Postfix, without delay notices.
    private static QmgrConfig defaults() {
        QmgrConfig usual = QmgrConfig.defaults();
        return usual.withQueue(SettingsRecords.with(usual.queue(), "delayNotice", List.of()))
                .withReads(RECIPIENT_BATCH, usual.scanLimit());
    }

    /// A copy with the settings that the section has. They have the names and the bounds of `mta.toml`.
    static <R extends Record> R declared(TomlSection section, R usual) {
        return SettingsRecords.map(usual, (declared, value) -> read(section, declared, value));
    }

    private static Object read(TomlSection section, DeclaredSetting declared, Object usual) {
        String key = declared.name();
        return switch (usual) {
            case Integer number -> number(section, declared, number);
            case Boolean flag -> flag(section, key).orElse(flag);
            case Duration time -> time(section, key, time);
            case Optional<?> some -> section.has(key) ? optional(section, declared) : some;
            case String name -> section.text(key).orElse(name);
            case RetryFactors factors -> section.parsed(key, RetryFactors::parse, "is not a list of factors; write "
                    + key + " = \"1 1 2 3 5\"").orElse(factors);
            case RetryPauses pauses -> section.parsed(key, RetryPauses::parse, "is not a list of pauses; write " + key
                    + " = \"5m 15m 1h\"").orElse(pauses);
            case JitterPercent jitter -> section.parsed(key, JitterPercent::parse, "is not a percentage; write " + key
                    + " = \"10%\"").orElse(jitter);
            case List<?> texts when argument(declared) == String.class ->
                section.has(key) ? section.texts(key) : texts;
            case List<?> times -> section.has(key) ? List.of(time(section, key, Duration.ZERO)) : times;
            case Enum<?> word -> section.oneOf(key, words(word)).orElse(word);
            case Feedback feedback -> section.parsed(key, Feedback::parse, "is not a feedback from 0 to 1; write"
                    + " \"1/concurrency\", \"1/sqrt_concurrency\", \"1/4\" or \"0.5\"").orElse(feedback);
            default -> usual;
        };
    }

    /// The value of a setting without a default.
    private static Optional<?> optional(TomlSection section, DeclaredSetting declared) {
        String key = declared.name();
        Class<?> type = argument(declared);
        if (type == Integer.class) {
            return Optional.of(number(section, declared, 1));
        }
        if (type == Boolean.class) {
            return flag(section, key);
        }
        if (type == Duration.class) {
            return section.time(key);
        }
        if (type == Rate.class) {
            return section.parsed(key, Rate::parse, "is not a rate; write " + key + " = \"100/1h\"");
        }
        return type.isEnum()
                ? section.oneOf(key, words((Enum<?>) type.getEnumConstants()[0]))
                : section.text(key);
    }

    private static Class<?> argument(DeclaredSetting declared) {
        return (Class<?>) ((ParameterizedType) declared.type()).getActualTypeArguments()[0];
    }

    private static int number(TomlSection section, DeclaredSetting declared, int usual) {
        return (int) section.count(declared.name(), bound(declared.setting().min(), 0),
                bound(declared.setting().max(), Integer.MAX_VALUE), usual);
    }

    private static Optional<Boolean> flag(TomlSection section, String key) {
        return section.parsed(key, text -> Optional.of(text).filter(each -> each.equals("true") || each.equals("false"))
                .map(Boolean::valueOf), "is not true or false; write " + key + " = true");
    }

    private static long bound(String written, long otherwise) {
        return written.isEmpty() ? otherwise : Long.parseLong(written);
    }

    private static Duration time(TomlSection section, String key, Duration usual) {
        return Duration.ofMillis(section.millis(key, usual.toMillis()));
    }

    private static Map<String, Enum<?>> words(Enum<?> one) {
        Map<String, Enum<?>> words = new TreeMap<>();
        for (Enum<?> each : one.getDeclaringClass().getEnumConstants()) {
            words.put(SettingsRecords.word(each), each);
        }
        return words;
    }

    private static QmgrConfig config(TomlSection section) {
        QmgrConfig defaults = defaults();
        QmgrConfig config = defaults.withQueue(declared(section, defaults.queue())).withReads(
                section.count("recipient-batch", 1, defaults.recipientBatch()),
                section.count("scan-limit", 1, defaults.scanLimit()));
        if (config.minimalBackoffMillis() < 1 || config.minimalBackoffMillis() > config.maximalBackoffMillis()) {
            throw section.wrong("minimal-backoff", "is not between 1ms and maximal-backoff, which is "
                    + TimeAxis.seconds(config.maximalBackoffMillis()) + "; make it smaller, or maximal-backoff larger");
        }
        if (config.scanIntervalMillis() < 1_000) {
            throw section.wrong("scan-interval", "is less than a second; write at least \"1s\"");
        }
        return config;
    }

    private static List<Long> crashes(TomlSection section) {
        long millis = section.millis("crash", NO_CRASH);
        return millis == NO_CRASH ? List.of() : List.of(millis);
    }

    private static OwnServer ownServer(TomlSection section) {
        OwnServer ownServer = ownServer(section.millis("write-time", 0), section.millis("read-time", 0),
                section.millis("dns-time", 0),
                section.millis("connect-timeout", 30_000), section.millis("greeting-timeout", 300_000));
        section.end();
        return ownServer;
    }

    private static OwnServer ownServer(long write, long read, long dns, long connectTimeout, long greetingTimeout) {
        return new OwnServer(write, read, dns, 0, 0, 0, connectTimeout, greetingTimeout);
    }

    private static TransportSettings transport(TomlSection section, TransportSettings usual) {
        TransportSettings settings = declared(section, usual);
        int limit = settings.concurrencyLimit();
        int initial = settings.initialConcurrency();
        if (section.has("initial-destination-concurrency") && limit > 0 && initial > limit) {
            throw section.wrong("initial-destination-concurrency",
                    "= " + initial + " is above lanes-per-destination = " + limit
                            + "; make it at most " + limit);
        }
        section.end();
        return settings;
    }
}
