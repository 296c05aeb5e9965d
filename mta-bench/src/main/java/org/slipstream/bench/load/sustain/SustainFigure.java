package org.slipstream.bench.load.sustain;

/// The values that are sampled every ten seconds.
// @formatter:off
enum SustainFigure {
    TAKEN("taken a second", 0, 10),
    ARRIVED("arrived a second", 0, 10),
    TO_250("to 250, median ms", 2, 0.1),
    TO_250_99("99th", 1, 2),
    TO_250_MOST("most", 0, 20),
    TO_SINK("to the sink, median ms", 2, 0.1),
    TO_SINK_99("99th", 1, 2),
    TO_SINK_MOST("most", 0, 20),
    RSS("RSS, MiB", 0, 5),
    PSS("PSS, MiB", 0, 5),
    HEAP("heap after a collection, MiB", 0, 5),
    PAUSES("collector's pauses, ms/s", 1, 1),
    CPU("CPU ms a message", 3, 0.01),
    SEGMENTS("segments, MiB", 0, 1),
    INDEX("index, MiB", 1, 1),
    QUEUE("queue", 0, 50),
    FILES("open files", 0, 3),
    THREADS("threads", 0, 3),
    OWN_CPU("the bench's own CPU, s/s", 2, 0.02);
    // @formatter:on

    final String words;
    final int decimals;
    /// A smaller value counts as nothing, whatever share it is.
    final double negligible;

    SustainFigure(String words, int decimals, double negligible) {
        this.words = words;
        this.decimals = decimals;
        this.negligible = negligible;
    }

    /// Whether a growing value is a fault.
    boolean isCost() {
        return this != TAKEN && this != ARRIVED && this != OWN_CPU;
    }
}
