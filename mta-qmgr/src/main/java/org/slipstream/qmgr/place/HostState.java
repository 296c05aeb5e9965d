package org.slipstream.qmgr.place;

import org.slipstream.core.Reply;

import java.util.Objects;

/// What is known of a host: the classes of Finch's ladder (FI-11), and two that operators and experience add.
public sealed interface HostState {
    /// In words an operator understands.
    String reason();

    /// It has connections with work on them.
    record Active(int connections) implements HostState {
        @Override
        public String reason() {
            return connections == 1 ? "1 connection is at work" : connections + " connections are at work";
        }
    }

    /// It has connections, and none has work.
    record Idle(int connections) implements HostState {
        @Override
        public String reason() {
            return connections == 1 ? "1 connection is idle" : connections + " connections are idle";
        }
    }

    /// Nothing is known, or it was long ago.
    record Unused() implements HostState {
        @Override
        public String reason() {
            return "no record";
        }
    }

    /// It worked; no connection is left.
    ///
    /// @param openedMillis when the last connection was made
    record Closed(long openedMillis, long closedMillis) implements HostState {
        @Override
        public String reason() {
            return "closed after use";
        }
    }

    /// It failed while nothing else of it worked.
    ///
    /// @param untilMillis left out until then, last choice from then on
    /// @param failures in a row
    record Retry(long sinceMillis, long untilMillis, int failures, Reply last) implements HostState {
        public Retry {
            Objects.requireNonNull(last);
        }

        public boolean isDue(long nowMillis) {
            return untilMillis <= nowMillis;
        }

        /// It has been due for as long as it was not: it counts as any other again (FI-33).
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

    /// It refused a further connection while others worked: no more connections, for a while, than it has.
    record Crowded(long untilMillis, Reply last) implements HostState {
        public Crowded {
            Objects.requireNonNull(last);
        }

        @Override
        public String reason() {
            return "refuses more connections: " + last;
        }
    }

    /// An operator wants it left alone.
    ///
    /// @param untilMillis `Long.MAX_VALUE` for until further notice
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

    /// It was seen to break when several deliveries were under way on one connection.
    record OneAtATime(long sinceMillis, String what) implements HostState {
        @Override
        public String reason() {
            return "breaks under pipelining: " + what;
        }
    }
}
