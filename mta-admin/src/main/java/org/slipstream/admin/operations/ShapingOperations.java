package org.slipstream.admin.operations;

import org.slipstream.core.order.ShapingVerb;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Rules from replies, as the API uses them. Called on HTTP threads.
public interface ShapingOperations {
    /// A rule in force.
    ///
    /// @param from the servers whose replies count
    /// @param replies the forms of these replies
    /// @param effects such as `lanes = 2 for 1h`
    /// @param source the page from which the rule follows, or empty
    /// @param triggered since the start of the server
    /// @param lastAt ISO 8601 in UTC; empty when it has not come into force
    /// @param lastSubject the mail that it limited the last time
    /// @param lastReply the reply that completed it
    record RuleView(String rule, String from, List<String> replies, int count, String within, List<String> effects,
            String source, boolean applied, long triggered, String lastAt, String lastSubject, String lastReply) {}

    /// Rules that an operator applied for a time.
    ///
    /// @param until ISO 8601 in UTC
    record AppliedView(String file, String until, String author) {}

    /// @param missed replies that were not counted, because too many came at once
    record ShapingView(List<RuleView> rules, Optional<AppliedView> applied, long missed) {}

    ShapingView shaping();

    /// Carries out an order.
    ///
    /// @return the number of rules that are now in force, or are not any more; empty when there was
    ///     nothing to take back
    /// @throws IllegalArgumentException with the sentence for wrong rules
    Optional<Integer> order(ShapingVerb order) throws IOException;
}
