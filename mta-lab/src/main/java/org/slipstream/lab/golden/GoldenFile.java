package org.slipstream.lab.golden;

import org.slipstream.core.SettingsRecords;
import org.slipstream.core.TransportKind;
import org.slipstream.qmgr.flow.Feedback;
import org.slipstream.qmgr.flow.FeedbackVariant;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.QueueSettings;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.TreeMap;

/// A golden file: a scenario and the trace that Postfix's queue manager produced for it.
///
/// Times are whole seconds.
///
/// @param transports settings by the transport names of the file
/// @param routes transport by destination; other destinations use `smtp`
/// @param expected the trace, as the file has it
record GoldenFile(String name, Global global, SequencedMap<String, TransportSettings> transports,
        SequencedMap<String, String> routes, List<GoldenMessage> messages, Deliveries deliveries,
        OptionalLong stopAfter,
        JsonNode expected) {

    record Global(int activeLimit, int recipientLimit, int recipientMinimum, long minimalBackoff, long maximalBackoff,
            long queueRunDelay, long lifetime) {}

    /// @param addresses in envelope order, `rNNNNN@destination`
    record GoldenMessage(String id, long arrival, List<String> addresses) {}

    /// A property of deliveries by destination and message.
    ///
    /// @param values the k-th value is for the k-th delivery to the destination; the last one repeats
    record GoldenRule(String destination, String message, List<String> values) {
        boolean matches(String key, String id) {
            return (destination.equals("*") || destination.equals(key)) && (message.equals("*") || message.equals(id));
        }

        String value(int delivery) {
            return values.get(Math.min(delivery, values.size() - 1));
        }
    }

    record GoldenOutage(String destination, long from, long to) {}

    record ServerLimit(String destination, int limit) {}

    /// The durations and results of deliveries.
    record Deliveries(long defaultDuration, List<GoldenRule> durations, List<GoldenRule> results,
            List<GoldenOutage> outages,
            List<ServerLimit> limits) {

        long duration(String key, String message, int delivery) {
            return last(durations, key, message).map(rule -> Long.parseLong(rule.value(delivery)))
                    .orElse(defaultDuration);
        }

        /// The result of a delivery: `ok`, `fail` or `defer`.
        ///
        /// @param running deliveries to the destination, including this one
        String result(String key, String message, int delivery, long now, int running) {
            boolean down = outages.stream().anyMatch(o -> o.destination.equals(key) && o.from <= now && now < o.to);
            boolean full = limits.stream().anyMatch(l -> l.destination.equals(key) && running > l.limit);
            return down || full ? "fail" : last(results, key, message).map(rule -> rule.value(delivery)).orElse("ok");
        }

        private static Optional<GoldenRule> last(List<GoldenRule> rules, String key, String message) {
            return rules.reversed().stream().filter(rule -> rule.matches(key, message)).findFirst();
        }
    }

    /// @throws IllegalArgumentException when the file is not valid; its message names the fault
    static GoldenFile read(Path path) throws IOException {
        try {
            return of(new ObjectMapper().readTree(Files.readString(path)));
        } catch (JacksonException e) {
            throw new IllegalArgumentException(path + ": not JSON: " + e.getOriginalMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(path + ": " + e.getMessage(), e);
        }
    }

    private static GoldenFile of(JsonNode json) {
        if (!at(json, "format").asString().equals("mta-golden/1")) {
            throw new IllegalArgumentException("the format is " + at(json, "format") + ", not mta-golden/1");
        }
        JsonNode params = at(json, "params");
        SequencedMap<String, TransportSettings> transports = new TreeMap<>();
        at(params, "transports").forEachEntry((name, settings) -> transports.put(name, transport(settings)));
        SequencedMap<String, String> routes = new TreeMap<>();
        at(json, "routes").forEachEntry((destination, transport) -> routes.put(destination, transport.asString()));
        JsonNode stop = at(json, "stop_after");
        return new GoldenFile(at(json, "name").asString(), global(at(params, "global")), transports, routes,
                list(at(json, "messages")).stream().map(GoldenFile::message).toList(),
                deliveries(at(json, "deliveries")),
                stop.isNull() ? OptionalLong.empty() : OptionalLong.of(stop.asLong()), at(json, "expected"));
    }

    private static Global global(JsonNode json) {
        return new Global(number(json, "qmgr_message_active_limit"), number(json, "qmgr_message_recipient_limit"),
                number(json, "qmgr_message_recipient_minimum"), number(json, "minimal_backoff_time"),
                number(json, "maximal_backoff_time"), number(json, "queue_run_delay"),
                number(json, "maximal_queue_lifetime"));
    }

    private static TransportSettings transport(JsonNode json) {
        return new TransportSettings(number(json, "process_limit"), number(json, "initial_destination_concurrency"),
                number(json, "destination_concurrency_limit"),
                feedback(json, "destination_concurrency_positive_feedback"),
                feedback(json, "destination_concurrency_negative_feedback"),
                number(json, "destination_concurrency_failed_cohort_limit"),
                Duration.ofSeconds(number(json, "destination_rate_delay")), number(json, "delivery_slot_cost"),
                number(json, "delivery_slot_loan"), number(json, "delivery_slot_discount"),
                number(json, "minimum_delivery_slots"), number(json, "destination_recipient_limit"),
                number(json, "recipient_limit"), number(json, "extra_recipient_limit"),
                number(json, "recipient_refill_limit"), Duration.ofSeconds(number(json, "recipient_refill_delay")));
    }

    private static Feedback feedback(JsonNode json, String name) {
        String text = at(json, name).asString();
        return Feedback.parse(text)
                .orElseThrow(() -> new IllegalArgumentException(name + ": not a feedback between 0 and 1: " + text));
    }

    private static GoldenMessage message(JsonNode json) {
        List<String> addresses = new ArrayList<>();
        for (JsonNode group : list(at(json, "recipients"))) {
            for (int i = 0; i < group.get(1).asInt(); i++) {
                addresses.add("r%05d@%s".formatted(addresses.size() + 1, group.get(0).asString()));
            }
        }
        return new GoldenMessage(at(json, "id").asString(), at(json, "arrival").asLong(), addresses);
    }

    private static Deliveries deliveries(JsonNode json) {
        return new Deliveries(at(json, "default_duration").asLong(), rules(at(json, "durations")),
                rules(at(json, "results")),
                list(at(json, "outages")).stream().map(o -> new GoldenOutage(at(o, "destination").asString(),
                        at(o, "from").asLong(), at(o, "to").asLong())).toList(),
                list(at(json, "server_limits")).stream()
                        .map(l -> new ServerLimit(at(l, "destination").asString(), number(l, "limit"))).toList());
    }

    private static List<GoldenRule> rules(JsonNode json) {
        return list(json).stream().map(rule -> new GoldenRule(at(rule, "destination").asString(),
                at(rule, "message").asString(), list(at(rule, "values")).stream().map(JsonNode::asString).toList()))
                .toList();
    }

    private static int number(JsonNode json, String name) {
        return at(json, name).asInt();
    }

    private static JsonNode at(JsonNode json, String name) {
        JsonNode value = json.get(name);
        if (value == null) {
            throw new IllegalArgumentException("missing key " + name);
        }
        return value;
    }

    static List<JsonNode> list(JsonNode json) {
        List<JsonNode> all = new ArrayList<>();
        json.forEach(all::add);
        return all;
    }

    /// The settings of the queue manager for this scenario. No transport has hosts.
    QmgrConfig config() {
        TransportTable table = TransportTable.of(TransportSettings.defaults());
        for (var each : transports.entrySet()) {
            table = table.with(each.getKey(), TransportKind.DISCARD).with(each.getKey(), each.getValue());
        }
        Duration never = Duration.ofMillis(Long.MAX_VALUE / 4);
        QueueSettings queue = SettingsRecords.with(QueueSettings.defaults(), Map.ofEntries(
                Map.entry("minimalBackoff", Duration.ofSeconds(global.minimalBackoff)),
                Map.entry("maximalBackoff", Duration.ofSeconds(global.maximalBackoff)),
                Map.entry("lifetime", Duration.ofSeconds(global.lifetime)),
                Map.entry("bounceLifetime", Duration.ofSeconds(global.lifetime)),
                Map.entry("secondExpiry", Optional.of(Duration.ZERO)), Map.entry("delayNotice", List.of()),
                Map.entry("activeMessages", global.activeLimit), Map.entry("idleConnection", never),
                Map.entry("scanInterval", never), Map.entry("spacedStarts", false),
                Map.entry("memory", new QueueSettings.Memory(global.recipientLimit, global.recipientMinimum)),
                Map.entry("feedbackVariant", FeedbackVariant.POSTFIX_SOURCE)));
        return QmgrConfig.of(queue, table).withReads(5_000, 1).withLanes(100);
    }
}
