package org.slipstream.core.dns;

import java.util.List;

/// The answer of DNS for a name and a type. CNAMEs have been followed.
public sealed interface TextAnswer {
    /// An answer has the texts of this many records at most. A peer with more names for its address,
    /// or more records at its domain, gains nothing by the rest.
    int MOST_RECORDS = 500;

    /// @param texts at least one
    record Found(List<String> texts) implements TextAnswer {
        public Found {
            texts = List.copyOf(texts.size() > MOST_RECORDS ? texts.subList(0, MOST_RECORDS) : texts);
        }
    }

    /// Proven: there is nothing.
    ///
    /// @param domainExists with other records
    record None(boolean domainExists) implements TextAnswer {}

    /// Servers failed or timed out, or the time of the caller is used up.
    record Trouble(String reason) implements TextAnswer {}
}
