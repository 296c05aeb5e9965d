package org.slipstream.core;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The notation of amounts with a unit: `300s`, `25MiB`.
public final class Units {
    public static final Units DURATIONS = new Units(
            Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L));
    public static final Units SIZES = new Units(sizes());

    private static final Pattern FORM = Pattern.compile("([0-9]{1,18}) ?([a-z]*)");

    private final Map<String, Long> factors;

    private Units(Map<String, Long> factors) {
        this.factors = factors;
    }

    /// Empty when the text has no number or no known unit, or when the amount does not fit a
    /// `long`.
    public Optional<Long> parse(String text) {
        Matcher matcher = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches() || !factors.containsKey(matcher.group(2))) {
            return Optional.empty();
        }
        try {
            return Optional.of(Math.multiplyExact(Long.parseLong(matcher.group(1)), factors.get(matcher.group(2))));
        } catch (ArithmeticException tooLarge) {
            return Optional.empty();
        }
    }

    /// The amount in the largest unit that divides it: 5000 ms is `5s`.
    public String write(long amount) {
        return factors.entrySet().stream().filter(unit -> amount % unit.getValue() == 0)
                .max(Map.Entry.comparingByValue()).map(unit -> amount / unit.getValue() + display(unit.getKey()))
                .orElseGet(() -> Long.toString(amount));
    }

    private static String display(String unit) {
        return unit.endsWith("ib")
                ? unit.substring(0, 1).toUpperCase(Locale.ROOT) + "iB"
                : unit.equals("b") ? "" : unit.endsWith("b") ? unit.toUpperCase(Locale.ROOT) : unit;
    }

    private static Map<String, Long> sizes() {
        Map<String, Long> sizes = new LinkedHashMap<>();
        sizes.put("", 1L);
        sizes.put("b", 1L);
        long binary = 1;
        long decimal = 1;
        for (String message : new String[]{"k", "m", "g", "t"}) {
            binary *= 1024;
            decimal *= 1000;
            sizes.put(message + "ib", binary);
            sizes.put(message + "b", decimal);
        }
        return sizes;
    }
}
