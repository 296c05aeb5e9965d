package org.slipstream.lab.study;

/// A row of a table of Postfix's `SCHEDULER_README`, section "Results for delivery to concurrency
/// limited servers". `NaN` stands for a figure that the document does not give.
///
/// @param average of the window, over deliveries
/// @param deviation of the window, its standard deviation
/// @param connectTimeouts recipients deferred for this; 0 where the document has a dash or no
///     column
/// @param greetingTimeouts recipients deferred for this; 0 where the document has a dash or no
///     column
public record Published(double deferredPercent, double average, double deviation, int connectTimeouts,
        int greetingTimeouts) {
    /// The document has no figures, only a sentence.
    static final Published NOTHING = new Published(Double.NaN, Double.NaN, Double.NaN, 0, 0);

    /// "About so much", and nothing else.
    static Published about(double average) {
        return new Published(Double.NaN, average, Double.NaN, 0, 0);
    }
}
