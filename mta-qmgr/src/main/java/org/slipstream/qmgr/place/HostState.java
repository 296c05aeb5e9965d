package org.slipstream.qmgr.place;

import org.slipstream.core.Reply;

import java.util.Objects;

/// The state of a host: the classes of Finch's algorithm (FI-11), and three from operators and
/// sessions.
public sealed interface HostState {
    /// The state as text for operators.
    String reason();

    /// At least one connection is opening or busy.
    record Active(int connections) implements HostState {
        @Override
        public String reason() {
            return connections == 1 ? "1 connection is at work" : connections + " connections are at work";
        }
    }

    /// All its connections are idle.
    record Idle(int connections) implements HostState {
        @Override
        public String reason() {
            return connections == 1 ? "1 connection is idle" : connections + " connections are idle";
        }
    }

    /// No record, or an expired one.
    record Unused() implements HostState {
        @Override
        public String reason() {
            return "no record";
        }
    }

    /// The host worked; no connection is left.
    ///
    /// @param openedMillis time of the latest connection
    record Closed(long openedMillis, long closedMillis) implements HostState {
        @Override
        public String reason() {
            return "closed after use";
        }
    }

    /// A connection failed while no other was up.
    ///
    /// @param untilMillis excluded until then, last choice afterwards
    /// @param failures consecutive
    record Retry(long sinceMillis, long untilMillis, int failures, Reply last) implements HostState {
        public Retry {
            Objects.requireNonNull(last);
        }

        public boolean isDue(long nowMillis) {
            return untilMillis <= nowMillis;
        }

        /// True when the record has been due for as long as it was not: the host counts as unused
        /// again (FI-33).
        public boolean isForgiven(long nowMillis) {
            return forgivenMillis() <= nowMillis;
        }

        long forgivenMillis() {
            return untilMillis + (untilMillis - sinceMillis);
        }

        @Override
        public String reason() {
            return "failed: " + last;
        }
    }

    /// The host refused a further connection while others were up: no more connections than it has,
    /// until `untilMillis`.
    record Crowded(long untilMillis, Reply last) implements HostState {
        public Crowded {
            Objects.requireNonNull(last);
        }

        @Override
        public String reason() {
            return "refuses more connections: " + last;
        }
    }

    /// Suspended by an operator.
    ///
    /// @param untilMillis `Long.MAX_VALUE` for an indefinite suspension
    record Suspended(long sinceMillis, long untilMillis, String why, String author) implements HostState {
        public Suspended {
            Objects.requireNonNull(why);
            Objects.requireNonNull(author);
        }

        @Override
        public String reason() {
            return "suspended by " + author + ": " + why;
        }
    }

    /// The host failed when several deliveries were pipelined on one connection.
    record OneAtATime(long sinceMillis, String what) implements HostState {
        @Override
        public String reason() {
            return "breaks under pipelining: " + what;
        }
    }
}
