package org.slipstream.config;

import org.slipstream.settings.Problem;

import java.util.List;

/// A configuration that can be used, or every mistake in it.
public sealed interface ReadResult {
    record Accepted(Config config) implements ReadResult {}

    /// @param problems in the order of the file, then those of `--set`; at least one
    record Rejected(List<Problem> problems) implements ReadResult {
        public Rejected {
            problems = List.copyOf(problems);
        }
    }
}
