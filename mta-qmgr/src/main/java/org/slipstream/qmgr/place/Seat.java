package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.QueuePhase.Extent;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// The answer of the placement: the seat of a delivery, or the reason for the lack of one, with the
/// hosts that were passed over.
public sealed interface Seat {
    /// The hosts that were considered and not selected, in order.
    List<PassedOver> passedOver();

    /// The reason as text for operators.
    String reason();

    /// The host of the seat.
    default Candidate target() {
        return switch (this) {
            case Queue queue -> queue.host();
            case Reuse reuse -> reuse.host();
            case Open open -> open.host();
            case Wait _,Defer _ -> throw new IllegalStateException("no seat: " + this);
        };
    }

    /// True when the seat takes no connection for itself.
    default boolean isShared() {
        return this instanceof Queue || this instanceof Defer;
    }

    /// True when a connection of its own was not possible.
    default boolean isShort() {
        return this instanceof Wait || this instanceof Queue queue && queue.isOverflow();
    }

    /// A queue place on an opening or busy connection.
    record Queue(long connection, Candidate host, String reason, List<PassedOver> passedOver) implements Seat {
        static final String WITH_ROOM = "an active connection with room";

        // The connection has more deliveries than its depth, because no other could be opened.
        private boolean isOverflow() {
            return !reason.equals(WITH_ROOM);
        }
    }

    /// An idle connection.
    record Reuse(long connection, Candidate host, List<PassedOver> passedOver) implements Seat {
        @Override
        public String reason() {
            return "an idle connection";
        }
    }

    /// A new connection.
    ///
    /// @param closing a connection to be closed for it: an idle one, or one without a greeting
    record Open(Candidate host, OptionalLong closing, String reason, List<PassedOver> passedOver) implements Seat {}

    /// No seat at present.
    ///
    /// @param gate the closed one
    record Wait(Code gate, String reason, List<PassedOver> passedOver) implements Seat {
        /// True when other destinations wait for the same reason.
        boolean isForAll() {
            return gate.extent().compareTo(Extent.UNPROVEN) >= 0;
        }
    }

    /// No seat before the next attempt: every host failed and none is due.
    ///
    /// @param last the latest reply of a host; 4xx when any host had one
    /// @param suspension the one that ends first, when all hosts are suspended
    record Defer(Reply last, Optional<Suspension> suspension, List<PassedOver> passedOver) implements Seat {
        @Override
        public String reason() {
            return "no usable host: " + last;
        }
    }

    /// @param untilMillis `Long.MAX_VALUE` for an indefinite suspension
    record Suspension(HostKey host, long untilMillis) {
        OptionalLong resumesMillis() {
            return untilMillis == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(untilMillis);
        }
    }

    /// A host that was not selected, with the reason.
    record PassedOver(Candidate host, String why) {
        @Override
        public String toString() {
            return host + ": " + why;
        }
    }
}
