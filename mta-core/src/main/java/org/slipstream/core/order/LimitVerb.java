package org.slipstream.core.order;

import java.time.Instant;
import java.util.Optional;

/// An order for a limit of the running server.
public sealed interface LimitVerb {
    /// The number that takes an order back.
    String DEFAULT = "default";

    /// @param until empty: until it is taken back
    @Verb(value = "limit", right = Right.OPERATE,
            does = "Sets another limit of connections, or another rate, while the server runs.",
            more = "KEY is server, transport:NAME, ring:NAME, host:HOST, window:DESTINATION or rate:DESTINATION. It"
                    + " holds in place of the setting until its end, or until it is `default` again, and a restart keeps"
                    + " it. Deliveries in progress are finished.",
            did = "limited",
            examples = {"limit window:far.example 2 --reason 'they asked for it' --for 2h",
                    "limit rate:far.example 100/1h", "limit transport:smtp 20 --for 30m",
                    "limit window:far.example default", "limit list"})
    record Limit(@Argument(value = "the limit, such as window:far.example", label = "KEY", required = true,
            positional = true) String key,
            @Argument(value = "a number; of a rate 100/1h; default: that of the settings again", label = "N",
                    required = true, positional = true) String number,
            @Argument(Argument.WHY) String reason,
            @Argument(value = Argument.AUTHOR, label = "NAME") String author,
            @Argument(value = Argument.UNTIL, label = "MOMENT") Optional<Instant> until)
            implements
                LimitVerb {}
}
