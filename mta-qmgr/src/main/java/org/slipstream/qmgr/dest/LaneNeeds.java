package org.slipstream.qmgr.dest;

import org.slipstream.qmgr.place.LackingLane;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.sched.Scheduler;

import java.util.Optional;
import java.util.function.ToIntFunction;

/// The lanes that destinations ask for, so that the scheduler can select them ([Lanes]).
public final class LaneNeeds {
    private final Lanes lanes;
    private final DestinationRules rules;
    private final Scheduler scheduler;
    private final Seating seating;

    LaneNeeds(Lanes lanes, DestinationRules rules, Scheduler scheduler, Seating seating) {
        this.lanes = lanes;
        this.rules = rules;
        this.scheduler = scheduler;
        this.seating = seating;
    }

    /// Asks for the lanes without which the scheduler does not select this queue.
    ///
    /// @param window of the destination
    /// @param more recipients that are about to wait
    void ask(DestinationQueue queue, int window, int more, long nowMillis) {
        if (!queue.countsConnections() && window > 0) {
            lanes.needWindow(queue, window, queue.running() + queue.waiting() + more);
        }
        if (queue.waiting() + more > 0 && rules.nextStartMillis(queue, nowMillis) > nowMillis) {
            rules.rate(queue).ifPresent(rate -> lanes.needRate(queue, rate));
        }
    }

    /// Asks for the lanes that the next delivery lacks.
    public void ask(Message message, DestinationQueue queue, boolean mayOpen) {
        lanes.need(lanes.lacks(message, queue, queue.allowed(), mayOpen), queue);
    }

    /// Asks for the lanes of destinations that gave theirs to others, and for those that found no use
    /// before.
    ///
    /// @param window of a destination
    void askAgain(ToIntFunction<DestinationQueue> window, long nowMillis) {
        if (lanes.renew()) {
            lanes.withoutRoom().forEach(queue -> ask(queue, window.applyAsInt(queue), 0, nowMillis));
            scheduler.seatsMayBeFree();
        }
        askForReturned(window, nowMillis);
    }

    void askForReturned(ToIntFunction<DestinationQueue> window, long nowMillis) {
        lanes.mayAskAgain().forEach(queue -> ask(queue, window.applyAsInt(queue), 0, nowMillis));
    }

    /// The first lane that the next delivery of this message lacks, because other shards hold it;
    /// empty when it waits for another reason. Read-only.
    Optional<LackingLane> lacking(Message message, DestinationQueue queue, int window, boolean mayOpen,
            long nowMillis) {
        if (rules.nextStartMillis(queue, nowMillis) > nowMillis) {
            return rules.rate(queue).flatMap(rate -> lanes.lackOfRate(queue, rate));
        }
        return lanes.lacks(message, queue, window, mayOpen).stream().findFirst()
                .filter(_ -> !queue.hasRoom()
                        || seating.find(message.id(), queue.route(), mayOpen, nowMillis) instanceof Seat.Wait);
    }
}
