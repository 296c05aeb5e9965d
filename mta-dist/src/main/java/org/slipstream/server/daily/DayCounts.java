package org.slipstream.server.daily;

import java.time.LocalDate;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToIntFunction;

/// Rows of reports that are not on disk yet, with their numbers, by day and domain. May be called by any
/// thread, and never blocks for long.
///
/// Strangers cause the rows, so their memory is bounded: further domains and rows are counted without
/// being told apart.
final class DayCounts<R> {
    /// Characters of all rows.
    static final int MOST_WEIGHT = 8 << 20;
    static final int MOST_DOMAINS = 2_000;

    private final ToIntFunction<R> weigher;
    private Map<DomainDay, Tally<R>> tallies = new LinkedHashMap<>();
    private long weight;
    private long lost;

    /// A day of UTC of a domain.
    record DomainDay(String domain, LocalDate day) {}

    /// @param rows with their numbers
    /// @param others number of those beyond the bound
    record Tally<R>(Map<R, Long> rows, long others) {
        Tally<R> plusOthers(long more) {
            return new Tally<>(rows, others + more);
        }
    }

    /// @param lost number of those of domains beyond the bound
    record Taken<R>(Map<DomainDay, Tally<R>> tallies, long lost) {}

    DayCounts(ToIntFunction<R> weigher) {
        this.weigher = weigher;
    }

    synchronized void add(DomainDay place, R row, long count) {
        Tally<R> tally = tallies.get(place);
        if (tally == null && tallies.size() >= MOST_DOMAINS) {
            lost += count;
            return;
        }
        if (tally == null) {
            tally = new Tally<>(new HashMap<>(), 0);
            tallies.put(place, tally);
        }
        if (tally.rows.containsKey(row)) {
            tally.rows.merge(row, count, Long::sum);
            return;
        }
        int more = weigher.applyAsInt(row);
        if (weight + more > MOST_WEIGHT) {
            tallies.put(place, tally.plusOthers(count));
        } else {
            weight += more;
            tally.rows.put(row, count);
        }
    }

    /// Gives back what could not be written.
    synchronized void restore(DomainDay place, Tally<R> tally) {
        tally.rows.forEach((row, count) -> add(place, row, count));
        tallies.computeIfPresent(place, (_, kept) -> kept.plusOthers(tally.others));
    }

    /// All, after which there is nothing.
    synchronized Taken<R> take() {
        Taken<R> taken = new Taken<>(tallies, lost);
        tallies = new LinkedHashMap<>();
        weight = 0;
        lost = 0;
        return taken;
    }
}
