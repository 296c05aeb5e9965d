package org.slipstream.lab.study;

import java.util.List;
import java.util.function.ToDoubleFunction;

/// The figures of one run, or the means of several runs.
///
/// @param average of the window, with one sample for each delivery or refusal, taken after its
///     feedback
/// @param deviation of the same samples, standard deviation
/// @param refused recipients deferred because of a 421
/// @param untried recipients deferred without an attempt because the destination was dead
/// @param widest the largest window
/// @param seconds from the start to the last recipient
public record Measurement(double deferredPercent, double average, double deviation, double connectTimeouts,
        double greetingTimeouts, double refused, double untried, double widest, double seconds) {

    static Measurement mean(List<Measurement> runs) {
        return new Measurement(mean(runs, Measurement::deferredPercent), mean(runs, Measurement::average),
                mean(runs, Measurement::deviation), mean(runs, Measurement::connectTimeouts),
                mean(runs, Measurement::greetingTimeouts), mean(runs, Measurement::refused),
                mean(runs, Measurement::untried), mean(runs, Measurement::widest), mean(runs, Measurement::seconds));
    }

    private static double mean(List<Measurement> runs, ToDoubleFunction<Measurement> figure) {
        return runs.stream().mapToDouble(figure).average().orElseThrow();
    }
}
