package org.slipstream.lab.scene;

import org.slipstream.core.QueueId;
import org.slipstream.qmgr.QmgrTrace.FeedbackEvent;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;

/// The record of one run of a scene: everything that was decided and everything that happened, with
/// times.
///
/// @param attempts every entry that was taken, in order
/// @param passings every preemption, in order
/// @param roads what happened at each destination
/// @param messages what became of each message of the file
/// @param links every connection that was opened or tried, in order
/// @param hosts what was known of each host, by its name
/// @param queue open recipients over time, by the name of their message
/// @param endMillis when the last thing happened
public record Course(List<Attempt> attempts, List<Passing> passings, SequencedMap<String, Road> roads,
        SequencedMap<QueueId, Way> messages, List<CourseConnection> links, SequencedMap<String, List<HostMark>> hosts,
        SequencedMap<String, List<QueueSample>> queue, long endMillis) {
    public Course {
        attempts = List.copyOf(attempts);
        links = List.copyOf(links);
        hosts = Collections.unmodifiableSequencedMap(hosts);
        queue = Collections.unmodifiableSequencedMap(queue);
        passings = List.copyOf(passings);
        roads = Collections.unmodifiableSequencedMap(roads);
        messages = Collections.unmodifiableSequencedMap(messages);
    }

    /// The result of an attempt.
    public enum MessageResult {
        /// At least one recipient was delivered.
        DELIVERED,
        /// A session, and no recipient was taken for now.
        DEFERRED,
        /// A session, and no recipient will ever be taken.
        REFUSED,
        /// No session, or one that broke.
        TROUBLE,
        /// The simulation ended before.
        UNFINISHED
    }

    /// One entry on its way.
    ///
    /// @param id empty for a report
    /// @param selectedMillis when it was taken
    /// @param startMillis when its connection was ready; empty when it never was
    /// @param slot which of the connections there are at one time, from 1; 0 when there was none
    public record Attempt(Optional<QueueId> id, String name, String transport, String road, int recipients,
            long selectedMillis, OptionalLong startMillis, long endMillis, int slot, MessageResult result) {}

    /// A job stepped in front of another.
    ///
    /// @param entries how many had been taken before
    /// @param level depth in the tree of preemptions
    /// @param slots balance of the job that was passed, afterwards
    public record Passing(long atMillis, int entries, String transport, String passed, String stepping, int level,
            int slots) {}

    /// A destination.
    ///
    /// @param untried recipients that were deferred without an attempt
    /// @param most attempts at once
    /// @param windows empty when each recipient has a window of its own
    public record Road(String name, int attempts, int troubled, int untried, int connections, int most,
            List<Mark> windows) {
        public Road {
            windows = List.copyOf(windows);
        }

        /// Its window is of interest. Where one delivery follows the other, the window learns
        /// nothing.
        boolean isTelling() {
            boolean tried = most > 1 || troubled > 0 || windows.stream().anyMatch(mark -> mark.size() <= 0);
            return tried && windows.stream().anyMatch(Mark::isReport);
        }
    }

    /// A window after something happened to it.
    ///
    /// @param size 0 when dead, -1 in a pause
    public record Mark(long atMillis, FeedbackEvent event, int size) {
        @Override
        public String toString() {
            return size == 0 ? "dead" : size < 0 ? "pause" : Integer.toString(size);
        }

        /// A report about the window's size, and not only that the window exists or is forgotten.
        boolean isReport() {
            return switch (event) {
                case NEW, FORGET, TIMER_REVIVE_FORGET, RESUME_FORGET -> false;
                case OK, FAIL, FAIL_DEAD, OK_REVIVE, TIMER_REVIVE, SUSPEND, RESUME -> true;
            };
        }
    }

    /// The activity of a connection.
    public enum Phase {
        OPENING, BUSY, IDLE
    }

    /// A time of a connection.
    public record Span(long fromMillis, long toMillis, Phase phase) {}

    /// A connection.
    ///
    /// @param host it leads to; where a transport knows no hosts, transport and next hop
    /// @param deliveries that were answered on it
    /// @param end how it ended; empty when the simulation ended before
    public record CourseConnection(int slot, String host, List<Span> spans, int deliveries, String end) {
        public CourseConnection {
            spans = List.copyOf(spans);
        }

        /// It was ready.
        boolean isMade() {
            return spans.stream().anyMatch(span -> span.phase() != Phase.OPENING);
        }

        long fromMillis() {
            return spans.getFirst().fromMillis();
        }

        long toMillis() {
            return spans.getLast().toMillis();
        }
    }

    /// The state of a host from a time on: `retry`, `due`, `crowded`, `closed`, `suspended`, or
    /// nothing, as long as it has connections too.
    public record HostMark(long atMillis, String state) {
        @Override
        public String toString() {
            return state.isEmpty() ? "nothing" : state;
        }
    }

    /// Open recipients of a message from a time on.
    ///
    /// @param waiting for a delivery
    /// @param deferred until the time of the next attempt
    public record QueueSample(long atMillis, int waiting, int deferred, int underWay) {}

    /// The result for a message.
    ///
    /// @param reads sizes of the batches of recipients
    public record Way(int entries, int delivered, int failed, OptionalLong firstMillis, OptionalLong lastMillis,
            List<Integer> reads) {
        public Way {
            reads = List.copyOf(reads);
        }
    }
}
