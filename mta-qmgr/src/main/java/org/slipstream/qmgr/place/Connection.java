package org.slipstream.qmgr.place;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/// One connection as the book knows it: a worker with its queue. Data; [ConnectionBook] changes it.
///
/// `OPENING` or busy while it has loads, idle without. A connection is opened for a load, so an opening one is never empty.
final class Connection {
    final long number;
    final Candidate host;
    final long openedMillis;
    final Standing standing;

    /// Greeting, EHLO and TLS are done.
    boolean up;

    /// So many unanswered loads are wanted on it.
    int depth;

    /// Deliveries that were answered on it.
    long answered;
    long idleSinceMillis;

    /// What was known of the host when the connection was opened.
    enum Standing {
        /// Another connection to it was up, or one was within the memory of the database.
        PROVEN,
        /// Nothing.
        UNKNOWN,
        /// It failed the last time.
        FAILED
    }

    /// Unanswered loads, by delivery, in the order in which they came.
    private final SequencedMap<Long, Load> loads = new LinkedHashMap<>(4);

    /// How many of them, by destination.
    private final Map<String, Integer> destinations = new LinkedHashMap<>(2);

    Connection(long number, Candidate host, Standing standing, long openedMillis, int depth) {
        this.number = number;
        this.host = host;
        this.standing = standing;
        this.openedMillis = openedMillis;
        this.depth = depth;
    }

    int queued() {
        return loads.size();
    }

    boolean isIdle() {
        return loads.isEmpty();
    }

    boolean hasRoom() {
        return loads.size() < depth;
    }

    boolean serves(String destination) {
        return destinations.containsKey(destination);
    }

    /// It waits for the greeting of a host that is not known to work.
    boolean isUnproven() {
        return !up && standing != Standing.PROVEN;
    }

    boolean isTooOld(long nowMillis, PlaceRules rules) {
        return nowMillis - openedMillis >= rules.maxActiveMillis();
    }

    Optional<Load> head() {
        return loads.isEmpty() ? Optional.empty() : Optional.of(loads.firstEntry().getValue());
    }

    List<Load> loads() {
        return new ArrayList<>(loads.values());
    }

    /// True when it did not serve this destination before.
    boolean add(Load load) {
        if (loads.put(load.delivery(), load) != null) {
            throw new IllegalStateException("delivery=" + load.delivery() + " sits on " + this + " already");
        }
        return destinations.merge(load.destination(), 1, Integer::sum) == 1;
    }

    Optional<Load> remove(long delivery) {
        Optional<Load> removed = Optional.ofNullable(loads.remove(delivery));
        removed.ifPresent(load -> destinations.compute(load.destination(), (_, n) -> n == 1 ? null : n - 1));
        return removed;
    }

    List<String> destinations() {
        return List.copyOf(destinations.keySet());
    }

    @Override
    public String toString() {
        return "connection=" + number + " to " + host + (up ? "" : " opening") + " queued=" + loads.size();
    }
}
