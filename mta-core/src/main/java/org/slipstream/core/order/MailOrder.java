package org.slipstream.core.order;

import java.time.Instant;
import java.util.Optional;

/// An order for all mail of one kind: of a destination, a provider, a sender, a transport, or of the whole server.
public sealed interface MailOrder {
    /// @param until empty: until it is resumed
    @Verb(value = "suspend", right = Right.OPERATE,
            does = "Suspends the mail of a destination, provider, sender, transport or host.",
            more = "Its mail waits in the queue without attempts until the end, or until `resume`. Deliveries in progress"
                    + " are finished, new mail is accepted. A restart keeps it.",
            did = "suspended",
            examples = {"suspend destination example.org --reason 'their disk is full' --until 2h",
                    "suspend provider google --reason 'they defer everything' --for 1h",
                    "suspend sender '*@lists.example.org' --reason 'complaints'",
                    "suspend transport smtp --reason 'the line is down'",
                    "suspend host 192.0.2.1 --reason 'asked by their postmaster' --for 1d", "suspend list"})
    record Suspend(
            @Argument(value = Argument.WHY_MAIL_WAITS, required = true) String reason,
            @Argument(value = Argument.AUTHOR, label = "NAME", required = true) String author,
            @Argument(value = Argument.UNTIL, label = "MOMENT") Optional<Instant> until)
            implements
                MailOrder {}

    @Verb(value = "resume", right = Right.OPERATE,
            does = "Ends a suspension; the mail that waits for it is due at once.", did = "resumed",
            examples = {"resume destination example.org", "resume host 192.0.2.1"})
    record Resume() implements MailOrder {}

    /// @param until empty: until the thaw
    @Verb(value = "freeze", right = Right.ADMINISTRATE, does = "Stops all deliveries; mail is still accepted.",
            more = "Deliveries in progress are finished. A restart keeps the freeze; `thaw` ends it.",
            did = "all deliveries are frozen; mta thaw ends it",
            examples = {"freeze --reason 'a loop with lists.example.org'",
                    "freeze --reason 'maintenance of the line' --for 30m"})
    record Freeze(@Argument(value = Argument.WHY_MAIL_WAITS, required = true) String reason,
            @Argument(value = Argument.AUTHOR, label = "NAME", required = true) String author,
            @Argument(value = Argument.UNTIL, label = "MOMENT") Optional<Instant> until)
            implements
                MailOrder {}

    @Verb(value = "thaw", right = Right.ADMINISTRATE, does = "Ends a freeze: deliveries start again.",
            did = "deliveries start again", examples = "thaw")
    record Thaw() implements MailOrder {}
}
