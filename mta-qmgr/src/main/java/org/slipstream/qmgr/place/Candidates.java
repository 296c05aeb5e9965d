package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.SequencedSet;
import java.util.stream.Stream;

/// Where one destination's mail may go, in levels of preference: the primary hosts, the secondary ones, and so on.
///
/// A host stands at one level only, the first at which it was named.
///
/// @param destination the key of the window that connections for this mail are charged to
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

    /// This host as the route of these candidates names it; connections are shared by address, so another name may have opened one.
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

    Stream<Candidate> hosts() {
        return levels.stream().flatMap(List::stream);
    }
}
