package org.slipstream.core.order;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// An order about addresses that get no mail.
public sealed interface SuppressionVerb {
    /// Addresses of one order, as texts with blanks between them. The head of a request has 16 KiB.
    int MOST_OCTETS = 12_000;

    /// The reason of a suppression.
    enum Cause {
        MANUAL, HARD_BOUNCE, COMPLAINT, UNSUBSCRIBE;

        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    String recipients();

    String from();

    /// The single recipients.
    default List<String> each() {
        return Arrays.stream(recipients().strip().split("\\s+")).toList();
    }

    /// @param from empty: mail of all senders
    /// @param until empty: until it is removed
    @Verb(value = "add", right = Right.OPERATE,
            does = "Suppresses addresses or domains: they get no more mail.",
            more = "A recipient in the list is refused when a client names it, and mail that waits for it is returned at"
                    + " its next attempt. Reports are never suppressed.",
            did = "suppressed",
            examples = {"suppression add bob@far.example --reason 'asked by phone'",
                    "suppression add far.example --from shop.example --for 30d --reason 'their wish'"})
    record Add(
            @Argument(value = "an address or a domain; several in quotes with blanks between them", label = "ADDRESS",
                    required = true, positional = true, max = MOST_OCTETS) String recipients,
            @Argument(value = "the domain of the sender; without it, mail of all senders",
                    label = "DOMAIN") String from,
            @Argument(value = "manual, hard-bounce, complaint or unsubscribe; manual without it",
                    label = "CAUSE") Cause cause,
            @Argument("the reason; replies and reports tell it") String reason,
            @Argument(value = Argument.AUTHOR, label = "NAME") String author,
            @Argument(value = Argument.UNTIL, label = "MOMENT") Optional<Instant> until)
            implements
                SuppressionVerb {
        /// `Long.MAX_VALUE`: until it is removed.
        public long untilMillis() {
            return until.map(Instant::toEpochMilli).orElse(Long.MAX_VALUE);
        }

        /// The text that replies and reports show.
        public String origin() {
            return reason.isEmpty() ? author : reason;
        }
    }

    @Verb(value = "remove", right = Right.OPERATE, does = "Ends suppressions: the addresses get mail again.",
            did = "no longer suppressed",
            examples = {"suppression remove bob@far.example", "suppression remove far.example --from shop.example"})
    record Remove(@Argument(value = "an address or a domain; several in quotes with blanks between them",
            label = "ADDRESS", required = true, positional = true, max = MOST_OCTETS) String recipients,
            @Argument(value = "the domain of the sender, when the suppression names one",
                    label = "DOMAIN") String from)
            implements
                SuppressionVerb {}
}
