package org.slipstream.qmgr.place;

import org.slipstream.qmgr.event.QmgrEvent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/// One connection: a worker with a queue of assignments. Data; [ConnectionBook] modifies it.
///
/// A connection with assignments is opening or busy, one without is idle. A connection is opened
/// for an assignment, so an opening one is never empty.
final class Connection {
    final long number;
    final Candidate host;
    final long openedMillis;
    final ConnectionStanding standing;

    /// Greeting, EHLO and TLS are done.
    boolean up;

    /// Target number of unanswered assignments.
    int depth;

    /// Deliveries that were answered on this connection.
    long answered;
    long idleSinceMillis;

    /// Its number among the connections that became idle.
    long idleTurn;

    /// End of the time for which it is kept idle.
    long closesMillis;

    /// How long it is kept idle for the destination that it served last; empty for the time of the transport.
    Optional<Duration> idle = Optional.empty();

    /// The state of the host when the connection was opened.
    enum ConnectionStanding {
        /// Another connection to it was up, or one was within the memory of the database.
        PROVEN,
        /// No record.
        UNKNOWN,
        /// The latest connection failed.
        FAILED
    }

    /// Unanswered assignments, by delivery, in the order in which they came.
    private final SequencedMap<Long, Assignment> assignments = new LinkedHashMap<>(4);

    /// Number of assignments by destination.
    private final Map<String, Integer> destinations = new LinkedHashMap<>(2);

    Connection(long number, Candidate host, ConnectionStanding standing, long openedMillis, int depth) {
        this.number = number;
        this.host = host;
        this.standing = standing;
        this.openedMillis = openedMillis;
        this.depth = depth;
    }

    /// True when this event can occur in its state.
    boolean permits(QmgrEvent.OfConnection event) {
        return switch (event) {
            case QmgrEvent.ConnectionReady _,QmgrEvent.ConnectionFailed _ -> !up;
            case QmgrEvent.DeliveryDone _,QmgrEvent.ConnectionLost _ -> up;
            case QmgrEvent.ConnectionDepth _,QmgrEvent.PipelinesBadly _ -> true;
        };
    }

    void require(boolean possible, String what) {
        if (!possible) {
            throw new IllegalStateException("cannot " + what + " " + this);
        }
    }

    int queued() {
        return assignments.size();
    }

    boolean isIdle() {
        return assignments.isEmpty();
    }

    boolean hasRoom() {
        return assignments.size() < depth;
    }

    boolean serves(String destination) {
        return destinations.containsKey(destination);
    }

    /// True while it waits for the greeting of a host that is not known to work.
    boolean isUnproven() {
        return !up && standing != ConnectionStanding.PROVEN;
    }

    boolean isTooOld(long nowMillis, PlaceRules rules) {
        return nowMillis - openedMillis >= rules.idle().ageMillis();
    }

    Optional<Assignment> head() {
        return assignments.isEmpty() ? Optional.empty() : Optional.of(assignments.firstEntry().getValue());
    }

    Optional<Assignment> find(long delivery) {
        return Optional.ofNullable(assignments.get(delivery));
    }

    List<Assignment> assignments() {
        return new ArrayList<>(assignments.values());
    }

    /// True when the connection did not serve this destination before.
    boolean add(Assignment assignment) {
        if (assignments.put(assignment.number(), assignment) != null) {
            throw new IllegalStateException("delivery=" + assignment.number() + " is already on " + this);
        }
        idle = assignment.idle();
        return destinations.merge(assignment.destination(), 1, Integer::sum) == 1;
    }

    Optional<Assignment> remove(long delivery) {
        Optional<Assignment> removed = Optional.ofNullable(assignments.remove(delivery));
        removed.ifPresent(
                assignment -> destinations.compute(assignment.destination(), (_, n) -> n == 1 ? null : n - 1));
        return removed;
    }

    List<String> destinations() {
        return List.copyOf(destinations.keySet());
    }

    @Override
    public String toString() {
        return "connection=" + number + " to " + host + (up ? "" : " opening") + " queued=" + assignments.size();
    }
}
