package org.slipstream.lab.scenario;

import org.slipstream.lab.Latency;
import org.slipstream.settings.TomlSection;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Times in the notation of scenario files: `250ms`, `1.5s`, `10m`.
final class Times {
    private static final Pattern RANGE = Pattern.compile("(.+?) ?\\.\\. ?(.+)");

    private Times() {}

    static Optional<Long> parse(String text) {
        return TomlSection.millis(text);
    }

    /// `2s`, `1s .. 3s` (uniform distribution), `exp 2s` (exponential distribution with mean 2 s).
    static Optional<Latency> latency(String text) {
        if (text.startsWith("exp ")) {
            return parse(text.substring(4)).map(Latency.Exponential::new);
        }
        Matcher range = RANGE.matcher(text.strip());
        if (!range.matches()) {
            return parse(text).map(Latency.Fixed::new);
        }
        return parse(range.group(1)).flatMap(least -> parse(range.group(2)).filter(most -> most >= least)
                .map(most -> new Latency.Uniform(least, most)));
    }
}
