package org.slipstream.lab.study;

/// A row of a table of Postfix's `SCHEDULER_README`, section "Results for delivery to concurrency limited servers".
///
/// @param average of the window, over deliveries
/// @param deviation of the window, its standard deviation
/// @param connectTimeouts recipients deferred for this; 0 where the document has a dash or no column
/// @param greetingTimeouts recipients deferred for this; 0 where the document has a dash or no column
public record Published(double deferredPercent, double average, double deviation, int connectTimeouts,
        int greetingTimeouts) {}
