package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.SequencedSet;
import java.util.stream.Stream;

/// The candidate hosts of one destination, in levels of MX preference: the primary hosts, the
/// secondary ones, and so on.
///
/// Each host is at one level only, the first at which it occurs.
///
/// @param destination the key of the window that connections for this mail count against
public record Candidates(String destination, List<List<Candidate>> levels) {
    public Candidates {
        Objects.requireNonNull(destination);
        SequencedSet<HostKey> seen = new LinkedHashSet<>();
        List<List<Candidate>> once = new ArrayList<>(levels.size());
        for (List<Candidate> level : levels) {
            List<Candidate> fresh = level.stream().filter(candidate -> seen.add(candidate.host())).toList();
            if (!fresh.isEmpty()) {
                once.add(fresh);
            }
        }
        levels = List.copyOf(once);
    }

    /// All at one level.
    public static Candidates of(String destination, Candidate... hosts) {
        return new Candidates(destination, List.of(List.of(hosts)));
    }

    /// The candidate with the same key, under the name in this route; connections are shared by
    /// address, so another name may have opened one.
    Candidate named(Candidate host) {
        for (List<Candidate> level : levels) {
            for (Candidate candidate : level) {
                if (candidate.host().equals(host.host())) {
                    return candidate;
                }
            }
        }
        return host;
    }

    Candidates without(HostKey host) {
        return new Candidates(destination, levels.stream()
                .map(level -> level.stream().filter(candidate -> !candidate.host().equals(host)).toList()).toList());
    }

    Stream<Candidate> hosts() {
        return levels.stream().flatMap(List::stream);
    }
}
