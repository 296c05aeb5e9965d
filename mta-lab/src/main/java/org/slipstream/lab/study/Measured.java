package org.slipstream.lab.study;

import java.util.List;
import java.util.function.ToDoubleFunction;

/// The result of one run, or the mean of several.
///
/// @param average of the window, one sample for each delivery or refusal, taken when its feedback
///     has been counted
/// @param deviation of the same samples
/// @param turnedAway recipients deferred because of a 421
/// @param untried recipients deferred because the destination was dead
/// @param widest the largest window
/// @param seconds until the last recipient was through
public record Measured(double deferredPercent, double average, double deviation, double connectTimeouts,
        double greetingTimeouts, double turnedAway, double untried, double widest, double seconds) {

    static Measured mean(List<Measured> runs) {
        return new Measured(mean(runs, Measured::deferredPercent), mean(runs, Measured::average),
                mean(runs, Measured::deviation), mean(runs, Measured::connectTimeouts),
                mean(runs, Measured::greetingTimeouts), mean(runs, Measured::turnedAway),
                mean(runs, Measured::untried), mean(runs, Measured::widest), mean(runs, Measured::seconds));
    }

    private static double mean(List<Measured> runs, ToDoubleFunction<Measured> figure) {
        return runs.stream().mapToDouble(figure).average().orElseThrow();
    }
}
