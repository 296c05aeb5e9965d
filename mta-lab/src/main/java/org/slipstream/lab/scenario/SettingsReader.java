package org.slipstream.lab.scenario;

import org.slipstream.core.SettingsRecords;
import org.slipstream.lab.QueueManagers;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.TransportNames;
import org.slipstream.qmgr.flow.Feedback;
import org.slipstream.qmgr.flow.FeedbackVariant;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.WorkerBudget.Shares;
import org.slipstream.qmgr.sched.OrderPolicy;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.QueueSettings;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;
import org.slipstream.settings.TomlSection;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Function;

/// Reads the settings of the queue manager: `[settings]`, `[transport]`, `[transport.NAME]` and
/// `[placement]`. Keys have the names of `mta.toml`; the defaults are those of Postfix.
final class SettingsReader {
    private static final int RECIPIENT_BATCH = 5_000;
    private static final long NO_CRASH = -1;
    private static final Map<String, OrderPolicy> POLICIES = Map.of("preemptive", OrderPolicy.PREEMPTIVE, "round-robin",
            OrderPolicy.ROUND_ROBIN, "fifo", OrderPolicy.FIFO);
    private static final Map<String, FeedbackVariant> VARIANTS = Map.of("pseudocode", FeedbackVariant.PSEUDOCODE,
            "postfix-source", FeedbackVariant.POSTFIX_SOURCE, "plus-minus-one", FeedbackVariant.PLUS_MINUS_ONE);

    /// @param config without transports
    /// @param crashesMillis times at which the server is killed and starts again
    /// @param common settings of transports without a section
    /// @param transports by their names in the file
    /// @param placement rules for these settings
    record ScenarioSettings(QmgrConfig config, List<Long> crashesMillis, OwnServer ownServer, TransportSettings common,
            SequencedMap<String, TransportSettings> transports, Function<QmgrConfig, PlaceRules> placement) {
        QmgrConfig config(TransportNames names) {
            TransportTable table = TransportTable.of(common);
            for (var each : transports.entrySet()) {
                if (names.knows(each.getKey())) {
                    table = table.with(names.kind(each.getKey()), each.getValue());
                }
            }
            return config.withTransports(table);
        }
    }

    private SettingsReader() {}

    static ScenarioSettings read(TomlSection root) {
        TransportSettings common = TransportSettings.defaults();
        SequencedMap<String, TransportSettings> transports = new TreeMap<>();
        Optional<TomlSection> all = root.section("transport");
        if (all.isPresent()) {
            List<String> names = all.get().tables();
            TransportSettings usual = transport(all.get(), common);
            names.forEach(
                    name -> transports.put(name, transport(all.get().section(name).orElseThrow(), usual)));
            all.get().end();
            common = usual;
        }
        var section = root.section("settings");
        return new ScenarioSettings(section.map(SettingsReader::config).orElseGet(SettingsReader::defaults),
                section.map(SettingsReader::crashes).orElse(List.of()),
                section.map(SettingsReader::ownServer).orElseGet(() -> ownServer(0, 0, 0, 30_000, 300_000)), common,
                transports, root.section("placement").map(SettingsReader::placement).orElse(QueueManagers::oneAtATime));
    }

    /// Without the section, a connection has one delivery at a time, as in Postfix.
    private static Function<QmgrConfig, PlaceRules> placement(TomlSection section) {
        PlaceRules usual = PlaceRules.defaults();
        int depth = section.count("connection-depth", 1, usual.depth().first());
        int most = section.count("most-connection-depth", 1, Math.max(depth, usual.depth().most()));
        if (most < depth) {
            throw section.wrong("most-connection-depth", "= " + most + " is below connection-depth = " + depth
                    + "; make it at least " + depth);
        }
        int overflow = section.count("overflow", 1, 1);
        Shares shares = new Shares(section.count("max-message-concurrency", 1, usual.messages().floor()),
                section.count("scale-max-concurrency", 0, usual.messages().scale()));
        int idle = section.count("idle-per-host", 0, usual.idle().perHost());
        Duration age = time(section, "connection-age", usual.idle().age());
        Duration crowded = time(section, "crowded", usual.memory().crowded());
        section.end();
        return config -> QueueManagers.production(config).with(new PlaceRules.Depth(depth, most, overflow))
                .with(shares, usual.verification())
                .with(new PlaceRules.Idle(idle, config.queue().idleConnection(), age))
                .with(usual.memory().withRetry(config.queue().minimalBackoff(), crowded, usual.memory().closed()));
    }

    /// The settings of Postfix, without delay notices.
    private static QmgrConfig defaults() {
        QmgrConfig usual = QmgrConfig.defaults();
        return usual.withQueue(SettingsRecords.with(usual.queue(), "delayNotice", List.of()))
                .withReads(RECIPIENT_BATCH, usual.scanLimit());
    }

    private static Duration time(TomlSection section, String key, Duration usual) {
        return Duration.ofMillis(section.millis(key, usual.toMillis()));
    }

    private static QmgrConfig config(TomlSection section) {
        QmgrConfig defaults = defaults();
        QueueSettings usual = defaults.queue();
        QueueSettings queue = SettingsRecords.with(usual, Map.ofEntries(
                Map.entry("minimalBackoff", time(section, "minimal-backoff", usual.minimalBackoff())),
                Map.entry("maximalBackoff", time(section, "maximal-backoff", usual.maximalBackoff())),
                Map.entry("lifetime", time(section, "lifetime", usual.lifetime())),
                Map.entry("bounceLifetime", time(section, "bounce-lifetime", usual.bounceLifetime())),
                Map.entry("secondExpiry",
                        Optional.of(time(section, "second-expiry", usual.secondExpiry().orElseThrow()))),
                Map.entry("delayNotice", List.of(time(section, "delay-notice",
                        usual.delayNotice().stream().findFirst().orElse(Duration.ZERO)))),
                Map.entry("activeMessages", section.count("active-messages", 1, usual.activeMessages())),
                Map.entry("idleConnection", time(section, "idle-connection", usual.idleConnection())),
                Map.entry("scanInterval", time(section, "scan-interval", usual.scanInterval())),
                Map.entry("order", section.oneOf("order", POLICIES).orElse(OrderPolicy.PREEMPTIVE)),
                Map.entry("memory", new QueueSettings.Memory(
                        section.count("message-recipient-limit", 1, usual.memory().messageRecipientLimit()),
                        section.count("message-recipient-minimum", 1, usual.memory().messageRecipientMinimum()))),
                Map.entry("feedbackVariant",
                        section.oneOf("feedback-variant", VARIANTS).orElse(FeedbackVariant.PSEUDOCODE))));
        QmgrConfig config = defaults.withQueue(queue).withReads(
                section.count("recipient-batch", 1, defaults.recipientBatch()),
                section.count("scan-limit", 1, defaults.scanLimit()));
        if (config.minimalBackoffMillis() < 1 || config.minimalBackoffMillis() > config.maximalBackoffMillis()) {
            throw section.wrong("minimal-backoff", "is not between 1ms and maximal-backoff, which is "
                    + Times.seconds(config.maximalBackoffMillis()) + "; make it smaller, or maximal-backoff larger");
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
        int limit = section.count("lanes-per-destination", 0, usual.concurrencyLimit());
        int initial = section.count("initial-destination-concurrency", 1, usual.initialConcurrency());
        if (section.has("initial-destination-concurrency") && limit > 0 && initial > limit) {
            throw section.wrong("initial-destination-concurrency",
                    "= " + initial + " is above lanes-per-destination = " + limit
                            + "; make it at most " + limit);
        }
        Feedback positive = feedback(section, "positive-feedback", usual.positiveFeedback());
        Feedback negative = feedback(section, "negative-feedback", usual.negativeFeedback());
        TransportSettings settings = new TransportSettings(section.count("lanes", 1, usual.processLimit()),
                initial, limit, positive, negative, section.count("failed-cohort-limit", 0, usual.failedCohortLimit()),
                time(section, "destination-rate-delay", usual.rateDelay()),
                section.count("delivery-slot-cost", 0, usual.slotCost()),
                section.count("delivery-slot-loan", 0, usual.slotLoan()),
                (int) section.count("delivery-slot-discount", 0, 100, usual.slotDiscountPercent()),
                section.count("minimum-delivery-slots", 0, usual.minimumSlots()),
                section.count("recipients-per-delivery", 0, usual.recipientsPerDelivery()),
                section.count("recipient-limit", 0, usual.recipientLimit()),
                section.count("extra-recipient-limit", 0, usual.extraRecipientLimit()),
                section.count("recipient-refill-limit", 1, usual.refillLimit()),
                time(section, "recipient-refill-delay", usual.refillDelay()));
        section.end();
        return settings;
    }

    private static Feedback feedback(TomlSection section, String key, Feedback otherwise) {
        return section.parsed(key, Feedback::parse,
                "is not a feedback from 0 to 1; write \"1/concurrency\", \"1/sqrt_concurrency\", \"1/4\" or \"0.5\"")
                .orElse(otherwise);
    }
}
