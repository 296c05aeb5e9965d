package org.slipstream.qmgr.place;

import org.slipstream.core.DeliveryResult;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/// Displaced deliveries: their connection ended or their host deferred them, and they wait for
/// another seat, first come, first served.
///
/// A delivery that was passed to a connection returns with an event of its own, which tells how
/// much of it was sent. Until then it counts as displaced and gets no seat, because it may be in
/// transfer. A destination with displaced deliveries gets no seat for new ones.
final class Displaced {
    private final Deque<DisplacedAssignment> waiting = new ArrayDeque<>();
    private final Map<String, Integer> byDestination = new LinkedHashMap<>();

    /// Passed to a connection that broke, without an answer yet; by number of the delivery.
    private final Map<Long, Returning> returning = new LinkedHashMap<>();

    /// @param charged it may open a connection in place of the lost one
    record DisplacedAssignment(Assignment assignment, boolean charged) {}

    private record Returning(long connection, DisplacedAssignment one) {}

    void add(Assignment assignment, boolean charged, Connection connection) {
        DisplacedAssignment one = new DisplacedAssignment(assignment, charged);
        if (connection.up) {
            returning.put(assignment.number(), new Returning(connection.number, one));
        } else {
            waiting.add(one);
        }
        count(assignment);
    }

    /// The delivery was answered, and another host may take it.
    void addAnswered(Assignment assignment, boolean charged) {
        waiting.add(new DisplacedAssignment(assignment, charged));
        count(assignment);
    }

    private void count(Assignment assignment) {
        byDestination.merge(assignment.destination(), 1, Integer::sum);
    }

    boolean isWaiting(String destination) {
        return byDestination.containsKey(destination);
    }

    boolean isReturningFrom(long connection) {
        return returning.values().stream().anyMatch(each -> each.connection() == connection);
    }

    /// The delivery returned unsent.
    void returned(DeliveryResult result) {
        take(result).ifPresent(waiting::add);
    }

    /// The delivery returned with a result.
    Optional<Assignment> finished(DeliveryResult result) {
        Optional<Assignment> assignment = take(result).map(DisplacedAssignment::assignment);
        assignment.ifPresent(this::removed);
        return assignment;
    }

    private Optional<DisplacedAssignment> take(DeliveryResult result) {
        Returning one = returning.get(result.delivery());
        if (one == null || one.connection() != result.connection()) {
            return Optional.empty();
        }
        returning.remove(result.delivery());
        return Optional.of(one.one());
    }

    private void removed(Assignment assignment) {
        byDestination.compute(assignment.destination(), (_, n) -> n == 1 ? null : n - 1);
    }

    /// Offers each waiting delivery a seat once.
    ///
    /// @param seats true when the delivery has a seat, or has ended
    void each(Predicate<DisplacedAssignment> seats) {
        for (int left = waiting.size(); left > 0; left--) {
            DisplacedAssignment one = waiting.remove();
            if (seats.test(one)) {
                removed(one.assignment());
            } else {
                waiting.add(one);
            }
        }
    }

    int size() {
        return waiting.size() + returning.size();
    }
}
