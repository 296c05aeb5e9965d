package org.slipstream.server.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Collects what is wrong, so that one run tells everything.
final class Complaints {
    private final List<Problem> problems = new ArrayList<>();

    void add(SourcePlace place, String key, String what) {
        add(place, key, what, Optional.empty());
    }

    /// The same sentence about the same line is told once, though several domains or aliases may lead to it.
    void add(SourcePlace place, String key, String what, Optional<String> suggestion) {
        Problem problem = new Problem(place.source(), place.line(), key, what, suggestion);
        if (!problems.contains(problem)) {
            problems.add(problem);
        }
    }

    int count() {
        return problems.size();
    }

    /// Those of the file by line, then those of `--set`.
    List<Problem> inOrder() {
        return problems.stream()
                .sorted(Comparator.comparing((Problem p) -> p.source().equals(SourcePlace.OVERRIDE.source()))
                        .thenComparingInt(Problem::line))
                .toList();
    }
}
