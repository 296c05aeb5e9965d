package org.slipstream.lab.scenario;

import java.util.List;

/// The expectations of a scenario file about its run.
public record Expectations(List<Expected> all) {
    public Expectations {
        all = List.copyOf(all);
    }

    /// @param line of the file
    public record Expected(int line, Expectation what) {}

    /// The kinds of expectations.
    public sealed interface Expectation {
        /// The messages whose entries were selected, in order.
        record Sequence(List<String> names) implements Expectation {}

        /// The same for one transport.
        record SequenceOf(String transport, List<String> names) implements Expectation {}

        /// The number of preemptions.
        record Preemptions(int count) implements Expectation {}

        /// The time of the last delivery of a message.
        record Finished(String message, long millis) implements Expectation {}

        /// The greatest ratio of the delivery time of a message to that of the message alone.
        record Inflation(String message, double most) implements Expectation {}

        /// The times at which the entries of a message were selected.
        record Attempts(String message, List<String> times) implements Expectation {}

        /// Sizes of the batches in which the recipients of a message were read.
        record Reads(String message, List<String> sizes) implements Expectation {}

        /// The window of a destination after each report about it: a number, `dead` or `pause`.
        record Windows(String destination, List<String> sizes) implements Expectation {}

        /// The number of deliveries that a host answered.
        record Deliveries(String host, int count) implements Expectation {}

        /// The number of connections to a host that were opened or tried.
        record Connections(String host, int count) implements Expectation {}

        /// The states of a host, in order: `retry`, `due`, `closed`, `crowded`, or `nothing`.
        record Hosts(String host, List<String> states) implements Expectation {}

        /// The number of open shards, after each change.
        record Shards(List<String> counts) implements Expectation {}

        /// The number of messages that a shard took.
        record Placed(int shard, int messages) implements Expectation {}

        /// The number of recipients of a destination that were deferred without an attempt.
        record Untried(String destination, int recipients) implements Expectation {}
    }
}
