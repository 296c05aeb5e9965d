package org.slipstream.core.order;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;

/// An order for rules from replies (docs/shaping.md).
public sealed interface ShapingVerb {
    /// Of the rules of one order in Base64. The head of a request has 16 KiB.
    int MOST_CHARACTERS = 14_000;

    /// @param rules in Base64 for URLs (RFC 4648 section 5), because a parameter has one line; empty for a
    ///     file whose rules the server has itself
    @Verb(value = "apply", right = Right.ADMINISTRATE,
            does = "Puts the rules of a file into force for a time, besides those of the settings.",
            more = "A rule replaces one of the settings that has its name. The rules are in force until their end, or"
                    + " until `mta shaping end`, also over a restart; the orders that they gave end with them. FILE"
                    + " `shipped` is the set of the program. Files larger than 10 KB, and rules that stay, belong to"
                    + " `shaping.rules`.",
            did = "in force",
            examples = {"shaping apply my.toml --for 2h", "shaping apply shipped --until 2027-01-31T18:00:00Z"})
    record Apply(
            @Argument(value = "a file of rules, or `shipped`", label = "FILE", required = true,
                    positional = true) String file,
            @Argument(value = "the rules in Base64 for URLs, in place of the content of FILE", label = "BASE64",
                    max = MOST_CHARACTERS) String rules,
            @Argument(value = Argument.AUTHOR, label = "NAME") String author,
            @Argument(value = Argument.UNTIL, label = "MOMENT") Optional<Instant> until)
            implements
                ShapingVerb {
        public Apply {
            if (until.isEmpty()) {
                throw new IllegalArgumentException("say when the rules end, such as --for 2h");
            }
            text(rules);
        }

        /// The rules as TOML.
        public String text() {
            return text(rules);
        }

        private static String text(String encoded) {
            try {
                return new String(Base64.getUrlDecoder().decode(encoded), StandardCharsets.UTF_8);
            } catch (IllegalArgumentException other) {
                throw new IllegalArgumentException("rules is not Base64 for URLs", other);
            }
        }
    }

    @Verb(value = "end", right = Right.ADMINISTRATE,
            does = "Takes back the rules that `mta shaping apply` put into force, and their orders.",
            did = "taken back", examples = "shaping end")
    record End(@Argument(value = Argument.AUTHOR, label = "NAME") String author) implements ShapingVerb {}
}
