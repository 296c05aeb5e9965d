package org.slipstream.lab.study;

/// A row of a table in Postfix's `SCHEDULER_README`, section "Results for delivery to concurrency
/// limited servers". `NaN` stands for a figure that the document does not have.
///
/// @param average of the window, over deliveries
/// @param deviation of the window, its standard deviation
/// @param connectTimeouts recipients deferred for this reason; 0 where the document has a dash or
///     no column
/// @param greetingTimeouts recipients deferred for this reason; 0 where the document has a dash or
///     no column
public record PublishedFigures(double deferredPercent, double average, double deviation, int connectTimeouts,
        int greetingTimeouts) {
    /// An experiment without published figures.
    static final PublishedFigures NONE = new PublishedFigures(Double.NaN, Double.NaN, Double.NaN, 0, 0);

    /// An approximate window and no other figure.
    static PublishedFigures about(double average) {
        return new PublishedFigures(Double.NaN, average, Double.NaN, 0, 0);
    }
}
