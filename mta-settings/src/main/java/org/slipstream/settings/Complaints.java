package org.slipstream.settings;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Everything that is wrong with the settings, so that one run reports all of it.
public final class Complaints {
    /// More sentences help no person, and each is a line of the log at a reload.
    private static final int MOST = 1_000;

    private final Set<Problem> problems = new LinkedHashSet<>();

    public void add(SourcePlace place, String key, String what) {
        add(place, key, what, Optional.empty());
    }

    /// The same sentence about the same line is reported once, even if several domains or aliases
    /// cause it.
    public void add(SourcePlace place, String key, String what, Optional<String> suggestion) {
        Problem problem = new Problem(place.source(), place.line(), key, what, suggestion);
        if (problems.size() < MOST) {
            problems.add(problem);
        } else {
            problems.add(new Problem(place.source(), 0, "", "there are more than " + MOST + " mistakes",
                    Optional.empty()));
        }
    }

    public int count() {
        return problems.size();
    }

    /// Those of the file by line, then those of `--set`.
    public List<Problem> inOrder() {
        return problems.stream()
                .sorted(Comparator.comparing((Problem p) -> p.source().equals(SourcePlace.OVERRIDE.source()))
                        .thenComparingInt(Problem::line))
                .toList();
    }
}
