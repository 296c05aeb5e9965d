package org.slipstream.admin.operations;

import org.slipstream.core.order.SuppressionVerb;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// The addresses that get no mail, as the API uses them. Called on HTTP threads.
public interface SuppressionOperations {
    /// @param after as in [SuppressionPart#next]
    /// @param text that the recipient contains; empty for all
    SuppressionPart suppressions(Optional<String> after, String text, int limit) throws IOException;

    /// The change is on disk when this returns.
    ///
    /// @return the recipients that it concerned
    /// @throws IllegalArgumentException with the sentence for a text that is neither address nor domain
    List<String> order(SuppressionVerb order) throws IOException;

    /// @param total of the whole list
    /// @param next where the next part begins; empty at the end
    record SuppressionPart(List<SuppressionView> suppressions, long total, Optional<String> next) {}

    /// @param from the domain of the sender; empty for all
    /// @param since ISO 8601 in UTC
    /// @param until the same; empty: until it is removed
    record SuppressionView(String recipient, String from, String cause, String origin, String since, String until) {}
}
