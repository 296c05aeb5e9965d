package org.slipstream.core.order;

import java.time.Instant;
import java.util.Optional;

/// An order for one source of connections.
public sealed interface SourceVerb {
    /// @param provider empty: for all destinations
    /// @param until empty: until it is resumed
    @Verb(value = "suspend", right = Right.OPERATE,
            does = "Sends no mail by a source until it is resumed.",
            more = "Its mail goes by the other sources of the pool, or waits when there are none. Deliveries in progress"
                    + " are finished. A restart keeps the suspension.",
            did = "suspended",
            examples = {"source suspend out-a --reason 'delisting asked for' --for 12h",
                    "source suspend out-a --provider google --reason 'their postmaster asked'"})
    record Suspend(
            @Argument(value = Argument.WHY_MAIL_WAITS, required = true) String reason,
            @Argument(value = Argument.AUTHOR, label = "NAME", required = true) String author,
            @Argument(value = Argument.UNTIL, label = "MOMENT") Optional<Instant> until,
            @Argument(value = "only for mail to this provider, or to `other`", label = "PROVIDER",
                    max = 64) String provider)
            implements
                SourceVerb {}

    /// @param provider empty: all suspensions of the source
    @Verb(value = "resume", right = Right.OPERATE, does = "Ends the suspensions of a source.",
            more = "Also those that the server ordered itself. Mail that waits is tried at its next attempt, or now with"
                    + " `queue flush`.",
            did = "resumed", examples = "source resume out-a")
    record Resume(
            @Argument(value = "only the suspension for this provider", label = "PROVIDER", max = 64) String provider)
            implements
                SourceVerb {}
}
