package org.slipstream.core.queue;

import org.slipstream.core.Units;
import org.slipstream.core.text.Controls;

import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// An operator's order that sets another limit than the settings do.
///
/// @param subject a transport, a ring, a provider, a host, or the next hop or domain of a destination; empty for the
/// server
/// @param number connections; of a rate deliveries in each period
/// @param periodMillis of a rate, otherwise 0
/// @param untilMillis `Long.MAX_VALUE`: until it is taken back
public record LimitOrder(LimitedThing thing, String subject, int number, long periodMillis, String why, String author,
        long sinceMillis, long untilMillis) implements StandingOrder {
    public static final String KIND = "limit";
    private static final int HIGHEST = 100_000;
    private static final long LONGEST_PERIOD_MILLIS = 366L * 24 * 60 * 60 * 1000;
    private static final char COLON = ':';

    /// The things whose limit may be set.
    public enum LimitedThing {
        /// Busy connections of all transports.
        SERVER,
        /// Connections of a transport.
        TRANSPORT,
        /// Connections of a ring.
        RING,
        /// Deliveries to all destinations of a ring in a period.
        RING_RATE,
        /// Connections to a provider.
        PROVIDER,
        /// Deliveries to all destinations of a provider in a period.
        PROVIDER_RATE,
        /// Connections to a host.
        HOST,
        /// The window of a destination.
        WINDOW,
        /// Deliveries to a destination in a period.
        RATE;

        /// The name in kebab case.
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /// True when the limit is a number in a time.
        public boolean isRate() {
            return this == RATE || this == RING_RATE || this == PROVIDER_RATE;
        }
    }

    public LimitOrder {
        subject = Controls.onOneLine(subject).strip().toLowerCase(Locale.ROOT);
        why = Controls.onOneLine(why).strip();
        author = Controls.onOneLine(author).strip();
        if (number < 1 || number > HIGHEST) {
            throw new IllegalArgumentException("a limit is a number from 1 to " + HIGHEST + "; mta suspend stops mail");
        }
        if (periodMillis > LONGEST_PERIOD_MILLIS) {
            throw new IllegalArgumentException("the time of a rate is at most 366d");
        }
        if (subject.isEmpty() != (thing == LimitedThing.SERVER)) {
            throw new IllegalArgumentException(KEYS);
        }
    }

    /// The keys, for a sentence.
    private static final String KEYS = "the limits are server, transport:NAME, ring:NAME, ring-rate:NAME, provider:NAME,"
            + " provider-rate:NAME, host:HOST, window:DESTINATION and rate:DESTINATION";

    /// The order with this key and value.
    ///
    /// @param key `server`, or the thing and its name: `window:far.example`
    /// @param value a number; of a rate `100/1h`
    /// @throws IllegalArgumentException with a sentence, when one of them has no meaning
    public static LimitOrder parse(String key, String value, String why, String author, long sinceMillis,
            long untilMillis) {
        int colon = key.indexOf(COLON);
        String word = colon < 0 ? key : key.substring(0, colon);
        LimitedThing thing = thing(word).orElseThrow(() -> new IllegalArgumentException(KEYS + ", not " + key));
        String subject = colon < 0 ? "" : key.substring(colon + 1);
        int slash = value.indexOf('/');
        boolean isRate = thing.isRate();
        if (slash >= 0 != isRate) {
            throw new IllegalArgumentException(isRate
                    ? "a rate is a number in a time, such as 100/1h, not \"" + value + "\""
                    : "a limit is a number, not \"" + value + "\"");
        }
        long period = isRate
                ? Units.DURATIONS.parse(value.substring(slash + 1)).filter(millis -> millis > 0).orElseThrow(
                        () -> new IllegalArgumentException(
                                "a rate is a number in a time, such as 100/1h, not \"" + value
                                        + "\""))
                : 0;
        return new LimitOrder(thing, subject, number(isRate ? value.substring(0, slash) : value), period, why, author,
                sinceMillis, untilMillis);
    }

    /// A value that suits the key, for an order that ends.
    public static String anyValue(String key) {
        int colon = key.indexOf(COLON);
        return thing(colon < 0 ? key : key.substring(0, colon)).filter(LimitedThing::isRate).isPresent() ? "1/1h" : "1";
    }

    private static Optional<LimitedThing> thing(String word) {
        return Arrays.stream(LimitedThing.values()).filter(each -> each.word().equals(word)).findFirst();
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text.strip());
        } catch (NumberFormatException noNumber) {
            throw new IllegalArgumentException("a limit is a number, not \"" + text + "\"", noNumber);
        }
    }

    /// Empty for the record of another version.
    static Optional<LimitOrder> of(String key, String value, String why, String author, long sinceMillis,
            long untilMillis) {
        try {
            return Optional.of(parse(key, value, why, author, sinceMillis, untilMillis));
        } catch (IllegalArgumentException unknown) {
            return Optional.empty();
        }
    }

    @Override
    public String kind() {
        return KIND;
    }

    /// The key: `window:far.example`.
    @Override
    public String name() {
        return thing == LimitedThing.SERVER ? thing.word() : thing.word() + COLON + subject;
    }

    @Override
    public String value() {
        return periodMillis == 0 ? Integer.toString(number) : number + "/" + Units.DURATIONS.write(periodMillis);
    }

    /// The order in words: who set which limit, until when, and why.
    public String text() {
        return "set to " + value() + " by " + author + " " + (untilMillis == Long.MAX_VALUE
                ? "until further notice"
                : "until " + Instant.ofEpochMilli(untilMillis)) + (why.isEmpty() ? "" : ": " + why);
    }
}
