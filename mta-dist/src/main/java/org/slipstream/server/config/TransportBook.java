package org.slipstream.server.config;

import org.slipstream.core.text.Nearest;
import org.slipstream.qmgr.TransportSettings;
import org.slipstream.qmgr.TransportTable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// What can be set for each transport: once for all, in `[queue]`, `[scheduler]` and `[concurrency]`, and once more for those
/// that differ, in `[transport.smtp]` and the like, under the same names.
final class TransportBook {
    private static final List<String> TRANSPORTS = List.of("smtp", "lmtp", "local", "discard");

    private static final List<Key<?>> KEYS = List.of(Keys.LANES, Keys.LANES_PER_DESTINATION,
            Keys.RECIPIENTS_PER_DELIVERY, Keys.SLOT_COST, Keys.SLOT_LOAN, Keys.SLOT_DISCOUNT, Keys.MINIMUM_SLOTS,
            Keys.RECIPIENT_LIMIT, Keys.EXTRA_RECIPIENT_LIMIT, Keys.REFILL_LIMIT, Keys.REFILL_DELAY,
            Keys.INITIAL_CONCURRENCY, Keys.POSITIVE_FEEDBACK, Keys.NEGATIVE_FEEDBACK, Keys.FAILED_COHORT_LIMIT,
            Keys.RATE_DELAY);

    private TransportBook() {}

    static List<Key<?>> keys() {
        return KEYS;
    }

    static List<String> transports() {
        return TRANSPORTS;
    }

    /// @param name `smtp.lanes`
    static boolean isKey(String name) {
        return key(name).isPresent();
    }

    static Optional<Key<?>> key(String name) {
        int dot = name.indexOf('.');
        return dot > 0 && TRANSPORTS.contains(name.substring(0, dot))
                ? KEYS.stream().filter(key -> key.name().equals(name.substring(dot + 1))).findFirst()
                : Optional.empty();
    }

    static Optional<String> meant(String name) {
        int dot = name.indexOf('.');
        String transport = dot > 0 ? name.substring(0, dot) : name;
        if (!TRANSPORTS.contains(transport)) {
            return Optional.of("the transports are " + String.join(", ", TRANSPORTS));
        }
        Optional<String> near = Nearest.to(name.substring(dot + 1), KEYS.stream().map(Key::name).toList());
        return near.map(n -> "did you mean \"" + n + "\"?")
                .or(() -> Optional.of("only what concerns one transport is set here"));
    }

    static TransportTable read(Values values, Complaints complaints) {
        Map<String, Map<Key<?>, Value>> own = new TreeMap<>();
        values.table(Keys.TRANSPORT).forEach((name, value) -> key(name).ifPresent(key -> own
                .computeIfAbsent(name.substring(0, name.indexOf('.')), _ -> new LinkedHashMap<>()).put(key, value)));
        TransportTable table = TransportTable.of(settings(new Reading("", Map.of(), values, complaints)));
        for (Map.Entry<String, Map<Key<?>, Value>> each : own.entrySet()) {
            Reading reading = new Reading(each.getKey(), each.getValue(), values, complaints);
            table = table.with(each.getKey(), settings(reading));
        }
        return table;
    }

    private static TransportSettings settings(Reading reading) {
        int limit = reading.get(Keys.LANES_PER_DESTINATION);
        int initial = reading.get(Keys.INITIAL_CONCURRENCY);
        boolean bounded = limit > 0;
        if (bounded && initial > limit) {
            reading.complain(Stream.of(Keys.INITIAL_CONCURRENCY, Keys.LANES_PER_DESTINATION),
                    Keys.INITIAL_CONCURRENCY.name() + " (" + initial + ") is more than "
                            + Keys.LANES_PER_DESTINATION.name() + " (" + limit + ")");
        }
        return TransportSettings.defaults()
                .withConcurrency(reading.get(Keys.LANES), bounded ? Math.min(initial, limit) : initial, limit)
                .withFeedback(reading.get(Keys.POSITIVE_FEEDBACK), reading.get(Keys.NEGATIVE_FEEDBACK),
                        reading.get(Keys.FAILED_COHORT_LIMIT))
                .withRateDelay(reading.get(Keys.RATE_DELAY))
                .withSlots(reading.get(Keys.SLOT_COST), reading.get(Keys.SLOT_LOAN), reading.get(Keys.SLOT_DISCOUNT),
                        reading.get(Keys.MINIMUM_SLOTS))
                .withRecipientsPerDelivery(reading.get(Keys.RECIPIENTS_PER_DELIVERY))
                .withRecipientLimits(reading.get(Keys.RECIPIENT_LIMIT), reading.get(Keys.EXTRA_RECIPIENT_LIMIT),
                        reading.get(Keys.REFILL_LIMIT), reading.get(Keys.REFILL_DELAY));
    }

    /// The values of one transport, or of all.
    ///
    /// @param transport empty for all
    private record Reading(String transport, Map<Key<?>, Value> own, Values values, Complaints complaints) {
        <T> T get(Key<T> key) {
            Value value = own.get(key);
            return value == null
                    ? values.get(key)
                    : key.form().read(value, dotted(key), complaints).orElseGet(() -> values.get(key));
        }

        private String dotted(Key<?> key) {
            return own.containsKey(key) ? Keys.TRANSPORT + "." + transport + "." + key.name() : key.dotted();
        }

        /// At the first of the keys that somebody wrote. The defaults do not contradict each other: where nobody wrote anything,
        /// a value of another section is in the way, and that one is followed.
        void complain(Stream<Key<?>> keys, String words) {
            keys.filter(key -> own.containsKey(key) || transport.isEmpty() && values.isGiven(key)
                    && key == Keys.INITIAL_CONCURRENCY).findFirst().ifPresent(key -> {
                        Value value = own.get(key);
                        complaints.add(value == null ? values.place(key) : value.place(), dotted(key),
                                (transport.isEmpty() ? "" : "transport." + transport + ": ") + words);
                    });
        }
    }
}
