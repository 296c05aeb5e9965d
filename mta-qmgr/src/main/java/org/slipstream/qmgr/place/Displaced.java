package org.slipstream.qmgr.place;

import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.place.Effects.Ended;

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
///
/// The displaced deliveries of a destination may use as many connections as served it when the first
/// of them lost its seat. So the window is never charged with more than before, and a connection that
/// has answered the last delivery of the destination is free for a displaced one.
final class Displaced {
    private final Deque<Assignment> waiting = new ArrayDeque<>();
    private final Map<String, Integer> byDestination = new LinkedHashMap<>();

    /// Connections that served a destination when its first delivery was displaced.
    private final Map<String, Integer> most = new LinkedHashMap<>();

    /// Passed to a connection that broke, without an answer yet; by number of the delivery.
    private final Map<Long, Returning> returning = new LinkedHashMap<>();

    private record Returning(long connection, Assignment assignment) {}

    /// The connection has ended.
    void add(Assignment assignment, Connection connection) {
        if (connection.up) {
            returning.put(assignment.number(), new Returning(connection.number, assignment));
        } else {
            waiting.add(assignment);
        }
        count(assignment);
    }

    /// The delivery was answered, and another host may take it.
    void addAnswered(Assignment assignment) {
        waiting.add(assignment);
        count(assignment);
    }

    private void count(Assignment assignment) {
        byDestination.merge(assignment.destination(), 1, Integer::sum);
    }

    /// Deliveries of this destination are displaced, and as many connections served it until now.
    void had(String destination, int serving) {
        most.merge(destination, serving, Math::max);
    }

    /// True when this destination had more connections than serve it now.
    boolean mayHaveMore(String destination, int serving) {
        return serving < most.getOrDefault(destination, 0);
    }

    boolean isWaiting(String destination) {
        return byDestination.containsKey(destination);
    }

    boolean isReturningFrom(long connection) {
        return returning.values().stream().anyMatch(each -> each.connection() == connection);
    }

    /// An event of a connection that is gone. Its end was handled when it ended; its deliveries return
    /// one by one.
    void late(QmgrEvent.OfConnection event, EffectsBuilder report) {
        if (!(event instanceof QmgrEvent.DeliveryDone(DeliveryResult result))) {
            return;
        }
        Optional<Assignment> one = take(result);
        if (result instanceof DeliveryResult.Unanswered back && !back.mayHaveArrived()) {
            one.ifPresent(waiting::add);
            return;
        }
        one.ifPresent(assignment -> {
            removed(assignment);
            report.ended(assignment, switch (result) {
                case DeliveryResult.Unanswered back -> new Ended.Inconclusive(assignment.number(),
                        assignment.all(new Outcome.Deferred(back.reason(), back.remote())));
                case DeliveryResult.Answered answered ->
                    new Ended.Worked(assignment.number(), answered.outcomes(), false);
                case DeliveryResult.OwnFailure own ->
                    FailedAttempts.ownFailure(assignment, own.reason(), own.scope());
            });
        });
    }

    private Optional<Assignment> take(DeliveryResult result) {
        Returning one = returning.get(result.delivery());
        if (one == null || one.connection() != result.connection()) {
            return Optional.empty();
        }
        returning.remove(result.delivery());
        return Optional.of(one.assignment());
    }

    private void removed(Assignment assignment) {
        if (byDestination.compute(assignment.destination(), (_, n) -> n == 1 ? null : n - 1) == null) {
            most.remove(assignment.destination());
        }
    }

    /// Offers each waiting delivery a seat once.
    ///
    /// @param seats true when the delivery has a seat, or has ended
    void each(Predicate<Assignment> seats) {
        for (int left = waiting.size(); left > 0; left--) {
            Assignment one = waiting.remove();
            if (seats.test(one)) {
                removed(one);
            } else {
                waiting.add(one);
            }
        }
    }

    int size() {
        return waiting.size() + returning.size();
    }
}
