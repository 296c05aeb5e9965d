package org.slipstream.picture;

import org.slipstream.core.QueueId;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;

/// The record of one run of a scenario: all decisions and all events, with their times.
///
/// @param attempts to deliver an entry, in the order in which entries were selected
/// @param preemptions in order
/// @param destinations totals of each destination, by name
/// @param messages results of each message of the file
/// @param connections that were opened or tried, in order
/// @param hosts states of each host, by its name
/// @param queue open recipients over time, by the name of their message
/// @param endMillis time of the last event
public record RunRecord(List<Attempt> attempts, List<PreemptionRecord> preemptions,
        SequencedMap<String, DestinationRecord> destinations,
        SequencedMap<QueueId, MessageRecord> messages, List<ConnectionRecord> connections,
        SequencedMap<String, List<HostSample>> hosts,
        SequencedMap<String, List<QueueSample>> queue, long endMillis) {
    public RunRecord {
        attempts = List.copyOf(attempts);
        connections = List.copyOf(connections);
        hosts = Collections.unmodifiableSequencedMap(hosts);
        queue = Collections.unmodifiableSequencedMap(queue);
        preemptions = List.copyOf(preemptions);
        destinations = Collections.unmodifiableSequencedMap(destinations);
        messages = Collections.unmodifiableSequencedMap(messages);
    }

    /// The result of an attempt.
    public enum AttemptOutcome {
        /// At least one recipient was delivered.
        DELIVERED,
        /// A session, with a temporary failure for each recipient.
        DEFERRED,
        /// A session, with a permanent failure for each recipient.
        REFUSED,
        /// No session, or a session that broke.
        TROUBLE,
        /// The simulation ended before the attempt did.
        UNFINISHED
    }

    /// An attempt to deliver one entry.
    ///
    /// @param id empty for a report
    /// @param selectedMillis when the entry was selected
    /// @param startMillis when its connection was ready; empty if it never was
    /// @param connection number of the connection; 0 if there was none
    public record Attempt(Optional<QueueId> id, String name, String transport, String destination, int recipients,
            long selectedMillis, OptionalLong startMillis, long endMillis, int connection, AttemptOutcome result) {}

    /// A preemption: one job moves in front of another.
    ///
    /// @param entries that were selected before
    /// @param passed message of the job that was preempted
    /// @param stepping message of the job that preempted
    /// @param level depth in the tree of preemptions
    /// @param balance of the delivery slots of the preempted job afterwards
    public record PreemptionRecord(long atMillis, int entries, String transport, String passed, String stepping,
            int level,
            int balance) {
        public String words() {
            return stepping + " preempts " + passed + ", level " + level;
        }
    }

    /// The totals of a destination.
    ///
    /// @param troubled attempts without a session or with one that broke
    /// @param untried recipients that were deferred without an attempt
    /// @param most greatest number of attempts at once
    /// @param windows empty if each recipient has a window of its own
    public record DestinationRecord(String name, int attempts, int troubled, int untried, int connections, int most,
            List<WindowSample> windows) {
        public DestinationRecord {
            windows = List.copyOf(windows);
        }

        /// The sizes of the window after each report, in words.
        public List<String> sizes() {
            return windows.stream().filter(WindowSample::isReport).map(WindowSample::toString).toList();
        }

        /// Whether the window is worth printing. A window does not change while deliveries follow
        /// each other one at a time.
        public boolean isInformative() {
            boolean tried = most > 1 || troubled > 0 || windows.stream().anyMatch(mark -> mark.size() <= 0);
            return tried && windows.stream().anyMatch(WindowSample::isReport);
        }
    }

    /// The kind of an event of a window.
    public enum WindowChange {
        CREATED, REPORTED, FORGOTTEN
    }

    /// The size of a window from a time on.
    ///
    /// @param event the name of the event, as `fail_dead`
    /// @param size 0 for dead, -1 for a pause
    public record WindowSample(long atMillis, String event, WindowChange change, int size) {
        @Override
        public String toString() {
            return size == 0 ? "dead" : size < 0 ? "pause" : Integer.toString(size);
        }

        /// Whether the event is a report to the window, and not its creation or deletion.
        public boolean isReport() {
            return change == WindowChange.REPORTED;
        }
    }

    /// The activity of a connection.
    public enum Phase {
        OPENING, BUSY, IDLE
    }

    /// A time in which a connection has one phase.
    public record Span(long fromMillis, long toMillis, Phase phase) {}

    /// A connection.
    ///
    /// @param number of the connection
    /// @param host at the other end; transport and next hop if the transport has no hosts
    /// @param deliveries with a reply
    /// @param end the reason of its end; empty if the simulation ended before
    public record ConnectionRecord(int number, String host, List<Span> spans, int deliveries, String end) {
        public ConnectionRecord {
            spans = List.copyOf(spans);
        }

        /// Whether the connection was ready.
        public boolean wasReady() {
            return spans.stream().anyMatch(span -> span.phase() != Phase.OPENING);
        }

        public long fromMillis() {
            return spans.getFirst().fromMillis();
        }

        public long toMillis() {
            return spans.getLast().toMillis();
        }
    }

    /// The state of a host from a time on: `retry`, `due`, `crowded`, `closed` or `suspended`. The
    /// state is empty for an unknown host and for a host with connections.
    public record HostSample(long atMillis, String state) {
        @Override
        public String toString() {
            return state.isEmpty() ? "nothing" : state;
        }
    }

    /// Open recipients of a message from a time on.
    ///
    /// @param waiting for a delivery
    /// @param deferred waiting for the time of the next attempt
    public record QueueSample(long atMillis, int waiting, int deferred, int underWay) {}

    /// The result for a message.
    ///
    /// @param reads sizes of the batches in which recipients were read
    public record MessageRecord(int entries, int delivered, int failed, OptionalLong firstMillis,
            OptionalLong lastMillis,
            List<Integer> reads) {
        public MessageRecord {
            reads = List.copyOf(reads);
        }
    }
}
