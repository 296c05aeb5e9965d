package org.slipstream.core.queue;

import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Route;
import org.slipstream.core.text.Controls;

import java.util.Objects;
import java.util.Optional;

/// A lasting instruction of an operator for one message. It is a record of the message log, so it
/// stays in force across restarts; a later instruction of the same kind replaces it.
public sealed interface Instruction {
    /// The message is returned to its sender without another attempt.
    ///
    /// @param reason for the report, on one line; may be empty
    record Return(Cause cause, String reason) implements Instruction {
        public Return {
            Objects.requireNonNull(cause);
            reason = Controls.onOneLine(reason).strip();
        }
    }

    /// The cause that the report of a returned message names.
    enum Cause {
        /// An operator cancelled the delivery.
        CANCELLED,
        /// The message counts as older than its lifetime.
        EXPIRED,
        /// An operator deleted the message: its sender gets no report.
        DELETED
    }

    /// The message is not delivered until it is released.
    ///
    /// @param note empty: the hold ends
    record Hold(Optional<HoldNote> note) implements Instruction {}

    /// The origin of a hold.
    ///
    /// @param author of the order
    /// @param reason on one line; may be empty
    record HoldNote(String author, long atMillis, String reason) {
        public HoldNote {
            author = Controls.onOneLine(author).strip();
            reason = Controls.onOneLine(reason).strip();
        }
    }

    /// Open recipients go to this next hop until they are finished.
    ///
    /// @param route to one fixed next hop ([org.slipstream.core.RouteText]); empty: that of the routing table again
    record Reroute(Optional<Route> route) implements Instruction {}

    /// The priority replaces that of the sender (MT-PRIORITY, RFC 6710).
    record Priority(int value) implements Instruction {
        public Priority {
            if (value < DeliveryOptions.LOWEST_PRIORITY || value > DeliveryOptions.HIGHEST_PRIORITY) {
                throw new IllegalArgumentException("a priority is between -9 and 9: " + value);
            }
        }
    }
}
