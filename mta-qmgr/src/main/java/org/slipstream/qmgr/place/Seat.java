package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
import org.slipstream.core.Reply;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Where a load goes, and why not elsewhere.
public sealed interface Seat {
    /// The hosts that were looked at and not taken, in the order of looking.
    List<PassedOver> passedOver();

    /// In words an operator understands.
    String reason();

    /// Behind others on a connection that is opening or busy.
    record Queue(long connection, Candidate host, String reason, List<PassedOver> passedOver) implements Seat {}

    /// On a connection that is open and has nothing to do.
    record Reuse(long connection, Candidate host, List<PassedOver> passedOver) implements Seat {
        @Override
        public String reason() {
            return "an idle connection";
        }
    }

    /// On a new connection.
    ///
    /// @param closing a connection elsewhere that has to go for it: an idle one, or one that waits in vain for a greeting
    record Open(Candidate host, OptionalLong closing, String reason, List<PassedOver> passedOver) implements Seat {}

    /// Nowhere for the time being.
    record Wait(Scope scope, String reason, List<PassedOver> passedOver) implements Seat {}

    /// Nowhere before its next attempt: every host has failed, none is due.
    ///
    /// @param last what a host said; 4xx when any of them did
    /// @param suspension the one that ends first, when an operator wants every host to be left alone
    record Defer(Reply last, Optional<Suspension> suspension, List<PassedOver> passedOver) implements Seat {
        @Override
        public String reason() {
            return "no host is left: " + last;
        }
    }

    /// @param untilMillis `Long.MAX_VALUE` for until further notice
    record Suspension(HostKey host, long untilMillis) {
        OptionalLong resumesMillis() {
            return untilMillis == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(untilMillis);
        }
    }

    /// Whom a shortage concerns.
    enum Scope {
        /// This message; others for the same destination may find a seat.
        MESSAGE,
        /// This destination.
        HERE,
        /// Destinations whose hosts are not known to work: as many connections as may wait for a first greeting.
        UNPROVEN,
        /// Every destination that needs a connection.
        EVERYWHERE
    }

    /// A host that was not taken, and why.
    record PassedOver(Candidate host, String why) {
        @Override
        public String toString() {
            return host + ": " + why;
        }
    }
}
