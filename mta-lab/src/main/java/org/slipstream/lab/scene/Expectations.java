package org.slipstream.lab.scene;

import java.util.List;

/// The expectations of a scenario file about its run. Each can be false.
public record Expectations(List<Expected> all) {
    public Expectations {
        all = List.copyOf(all);
    }

    /// @param line where the file says so
    public record Expected(int line, HostExpectation what) {}

    /// One kind of expectation each.
    public sealed interface HostExpectation {
        /// Whose entries were taken, in order.
        record Sequence(List<String> names) implements HostExpectation {}

        /// The same for the entries of one transport.
        record SequenceOf(String transport, List<String> names) implements HostExpectation {}

        /// How often a job stepped in front of another.
        record Preemptions(int count) implements HostExpectation {}

        /// When the last recipient of a message was delivered.
        record Finished(String message, long millis) implements HostExpectation {}

        /// Delivery takes at most so many times as long as it would if there were nothing else.
        record Inflation(String message, double most) implements HostExpectation {}

        /// When the entries of a message were tried.
        record Attempts(String message, List<String> times) implements HostExpectation {}

        /// Sizes of the batches in which the recipients of a message were read.
        record Reads(String message, List<String> sizes) implements HostExpectation {}

        /// The window of a destination after each report about it: a number, `dead` or `pause`.
        record Windows(String destination, List<String> sizes) implements HostExpectation {}

        /// Deliveries that a host answered.
        record Deliveries(String host, int count) implements HostExpectation {}

        /// Connections to a host that were opened or tried.
        record Connections(String host, int count) implements HostExpectation {}

        /// The states of a host, in order: `retry`, `due`, `closed`, `crowded`, or `nothing`.
        record Hosts(String host, List<String> states) implements HostExpectation {}

        /// Recipients of a destination that were deferred without an attempt.
        record Untried(String destination, int recipients) implements HostExpectation {}
    }
}
