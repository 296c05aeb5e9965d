package org.slipstream.core.order;

import java.time.Instant;
import java.util.Optional;

/// An order for one remote host.
public sealed interface HostOrder {
    /// @param until empty: until it is resumed
    @Verb(value = "suspend", right = Right.OPERATE,
            does = "Suspends a host: no new connections to it until it is resumed.",
            more = "Deliveries in progress are finished. Mail goes to the other hosts of its domain, or waits when there"
                    + " are none.",
            did = "suspended",
            examples = {"destdb suspend mx.example.org --reason 'their disk is full' --for 2h",
                    "destdb suspend 192.0.2.1 --reason 'asked by their postmaster'"})
    record Suspend(
            @Argument(value = Argument.WHY_MAIL_WAITS, required = true) String reason,
            @Argument(value = Argument.AUTHOR, label = "NAME", required = true) String author,
            @Argument(value = Argument.UNTIL, label = "MOMENT") Optional<Instant> until)
            implements
                HostOrder {
        /// `Long.MAX_VALUE`: until it is resumed.
        public long untilMillis() {
            return until.map(Instant::toEpochMilli).orElse(Long.MAX_VALUE);
        }
    }

    @Verb(value = "resume", right = Right.OPERATE, does = "Ends the suspension of a host.",
            more = "The mail that waits for it is due at once.", did = "resumed",
            examples = "destdb resume mx.example.org")
    record Resume() implements HostOrder {}

    @Verb(value = "forget", right = Right.OPERATE,
            does = "Forgets failures and limitations of a host, so that it is tried again.",
            more = "A suspension stays; `resume` ends it. Waiting mail is tried at its next attempt, or now with"
                    + " `queue flush`.",
            did = "forgotten", examples = "destdb forget mx.example.org")
    record Forget() implements HostOrder {}
}
