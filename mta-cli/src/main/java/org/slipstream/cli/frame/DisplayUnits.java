package org.slipstream.cli.frame;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/// Formats times and sizes for operators.
public final class DisplayUnits {
    private DisplayUnits() {}

    public static String size(long bytes) {
        String[] units = {"B", "K", "M", "G", "T"};
        double amount = bytes;
        int unit = 0;
        while (amount >= 1000 && unit < units.length - 1) {
            amount /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + "B" : String.format(java.util.Locale.ROOT, "%.1f%s", amount, units[unit]);
    }

    /// `1 message`, `2 messages`.
    public static String count(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    public static String age(String since, Instant now) {
        return instant(since).map(then -> span(Duration.between(then, now))).orElse(since);
    }

    public static String since(String when, Instant now) {
        return when.isEmpty() ? "-" : age(when, now);
    }

    /// The time from now until then, without the "in".
    public static String rest(String when, Instant now) {
        return instant(when).map(then -> span(Duration.between(now, then))).orElse(when);
    }

    public static String until(String when, Instant now) {
        return instant(when).map(then -> then.isAfter(now) ? "in " + span(Duration.between(now, then)) : "now")
                .orElse(when.isEmpty() ? "-" : when);
    }

    /// The two largest units: `3h12m`.
    public static String span(Duration duration) {
        long seconds = Math.max(0, duration.toSeconds());
        if (seconds < 60) {
            return seconds + "s";
        }
        if (seconds < 3600) {
            return seconds / 60 + "m" + rest(seconds % 60, "s");
        }
        return seconds < 86_400
                ? seconds / 3600 + "h" + rest(seconds % 3600 / 60, "m")
                : seconds / 86_400 + "d" + rest(seconds % 86_400 / 3600, "h");
    }

    private static String rest(long amount, String unit) {
        return amount == 0 ? "" : amount + unit;
    }

    private static Optional<Instant> instant(String text) {
        try {
            return Optional.of(Instant.parse(text));
        } catch (DateTimeParseException none) {
            return Optional.empty();
        }
    }
}
