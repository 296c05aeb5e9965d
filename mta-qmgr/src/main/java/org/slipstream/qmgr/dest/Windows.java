package org.slipstream.qmgr.dest;

import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.place.LackingLane;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.trace.QmgrTrace;
import org.slipstream.qmgr.trace.QmgrTrace.FeedbackEvent;
import org.slipstream.qmgr.wake.LimitKey;
import org.slipstream.qmgr.wake.RateLimits;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The windows of destinations, as far as they may be used here: the deliveries that the scheduler may
/// run, and the lanes that they ask for, so that the scheduler can select them ([Lanes]).
public final class Windows {
    private final Map<DestinationQueue, Destination> byQueue = new LinkedHashMap<>();
    private final Seating seating;
    private final Scheduler scheduler;
    private final DestinationTimers timers;
    private final Groups groups;
    private final RateLimits rates;
    private final DestinationRules rules;
    private final QmgrTrace trace;
    private final StepContext step;
    private Lanes lanes;

    Windows(Seating seating, Scheduler scheduler, DestinationTimers timers, Groups groups, DestinationRules rules,
            RateLimits rates, QmgrTrace trace, StepContext step) {
        this.seating = seating;
        this.scheduler = scheduler;
        this.timers = timers;
        this.groups = groups;
        this.rates = rates;
        this.rules = rules;
        this.trace = trace;
        this.step = step;
        this.lanes = seating.leases().areShared() ? shared() : new Lanes.WholeLanes();
    }

    private SharedLanes shared() {
        return new SharedLanes(seating.leases(), seating, groups, step, this::atWork, rates,
                key -> lanesChanged(key, step.nowMillis()));
    }

    /// Other shards use the limits from now on. Again: the grants of this node have ended, and the lanes in use
    /// are counted once more.
    ///
    /// @param own limits of this shard alone, by transport
    public void share(Map<String, Integer> own, long nowMillis) {
        SharedLanes shared = shared();
        Map<LimitKey, Integer> limits = new LinkedHashMap<>(groups.limitsInUse());
        limits.putAll(seating.limitsInUse());
        byQueue.forEach((queue, destination) -> {
            shared.enter(queue);
            limits.put(LimitKey.destination(queue.toString()), destination.allowed());
            rules.rate(queue).ifPresent(rate -> limits.put(LimitKey.rate(queue.toString()), rate.deliveries()));
        });
        lanes = shared;
        seating.leases().share(own, limits, shared);
        byQueue.keySet().forEach(queue -> {
            allow(queue);
            need(queue, 0, nowMillis);
        });
        scheduler.seatsMayBeFree();
    }

    void enter(DestinationQueue queue, Destination destination) {
        byQueue.put(queue, destination);
        lanes.enter(queue);
    }

    void leave(DestinationQueue queue) {
        byQueue.remove(queue);
        lanes.leave(queue);
    }

    List<DestinationQueue> queues() {
        return List.copyOf(byQueue.keySet());
    }

    Optional<Destination> find(DestinationQueue queue) {
        return Optional.ofNullable(byQueue.get(queue));
    }

    /// The destination of a queue in use.
    Destination destination(DestinationQueue queue) {
        return Objects.requireNonNull(byQueue.get(queue));
    }

    private int window(DestinationQueue queue) {
        return destination(queue).allowed();
    }

    /// The part of the limits that may be used here.
    public Lanes lanes() {
        return lanes;
    }

    /// The connections or deliveries that currently count against the window.
    public int atWork(DestinationQueue queue) {
        return atWork(seating, queue);
    }

    static int atWork(Seating seating, DestinationQueue queue) {
        return queue.countsConnections() ? seating.charge(queue.route()).orElse(queue.running()) : queue.running();
    }

    /// True when the window permits one more connection or delivery.
    public boolean mayOpen(DestinationQueue queue) {
        return atWork(queue) < slots(queue) && groups.full(queue) == null;
    }

    /// The part of the window that this shard may use.
    int slots(DestinationQueue queue) {
        return lanes.limit(queue, queue.allowed());
    }

    /// The load that a good delivery has tested the window with.
    ///
    /// The connection of the delivery counts, even if the delivery left it idle. A start that only waits
    /// for its slot tests the window as much as a running delivery does (PF-11): otherwise spaced starts
    /// would keep windows from growing. So does a share that is fully in use, with deliveries that wait for
    /// lanes of other shards.
    ///
    /// @param released the connection no longer serves this destination
    int charge(DestinationQueue queue, boolean released, boolean heldBack) {
        int own = atWork(queue) + (released && queue.countsConnections() ? 1 : 0);
        return own + (heldBack ? Math.max(0, queue.allowed() - atWork(queue)) : 0)
                + (lanes.isHeldBack(queue) ? Math.max(0, window(queue) - slots(queue)) : 0);
    }

    /// The window has changed.
    void changed(DestinationQueue queue, FeedbackEvent event) {
        Destination destination = destination(queue);
        if (destination.allowed() > 0) {
            lanes.windowIs(queue, destination.allowed());
        }
        allow(queue);
        trace.feedback(queue, event, queue.running(), destination.figures());
    }

    void allow(DestinationQueue queue) {
        boolean waits = timers.isPlanned(new DestinationTimers.TimerTarget.OfRate(queue)) || rules.isHeld(queue);
        int allowed = window(queue);
        // A window that counts connections is shared at the gate: deliveries may share a connection.
        scheduler.allow(queue, waits ? 0 : queue.countsConnections() ? allowed : lanes.limit(queue, allowed));
    }

    /// True when the rate permits no start at present.
    boolean awaitRate(DestinationQueue queue, long nowMillis) {
        long next = rules.nextStartMillis(queue, nowMillis);
        if (next <= nowMillis) {
            return false;
        }
        timers.plan(new DestinationTimers.TimerTarget.OfRate(queue), next);
        return true;
    }

    // ---- limits that shards share

    /// Asks for the lanes without which the scheduler does not select this queue.
    ///
    /// @param more recipients that are about to wait
    void need(DestinationQueue queue, int more, long nowMillis) {
        if (!queue.countsConnections() && window(queue) > 0) {
            lanes.needWindow(queue, window(queue), queue.running() + queue.waiting() + more);
        }
        if (queue.waiting() + more > 0 && rules.nextStartMillis(queue, nowMillis) > nowMillis) {
            rules.rate(queue).ifPresent(rate -> lanes.needRate(queue, rate));
        }
    }

    /// Asks for the lanes that the next delivery lacks.
    public void need(Message message, DestinationQueue queue, boolean mayOpen) {
        lanes.need(lanes.lacks(message, queue, queue.allowed(), mayOpen), queue);
    }

    /// The first lane that the next delivery of this message lacks, because other shards hold it;
    /// empty when it waits for another reason. Read-only.
    public Optional<LackingLane> lacking(Message message, DestinationQueue queue, long nowMillis) {
        Optional<LackingLane> ofGroup = groups.refusal(queue, message).flatMap(refusal -> groups.lack(refusal.key()));
        if (ofGroup.isPresent()) {
            return ofGroup;
        }
        if (rules.nextStartMillis(queue, nowMillis) > nowMillis) {
            return rules.rate(queue).flatMap(rate -> lanes.lackOfRate(queue, rate));
        }
        boolean mayOpen = mayOpen(queue);
        return lanes.lacks(message, queue, window(queue), mayOpen).stream().findFirst()
                .filter(_ -> !queue.hasRoom()
                        || seating.find(message.id(), queue.route(), mayOpen, nowMillis) instanceof Seat.Wait);
    }

    // More or fewer lanes of this limit are here.
    private void lanesChanged(LimitKey key, long nowMillis) {
        groups.lanesChanged();
        lanes.find(key).ifPresent(queue -> {
            timers.cancel(new DestinationTimers.TimerTarget.OfRate(queue));
            awaitRate(queue, nowMillis);
            allow(queue);
        });
    }

    /// Lanes of this limit were granted: deliveries that it refused are selected again.
    public void granted(LimitKey key, long nowMillis) {
        lanes.find(key).ifPresent(queue -> {
            need(queue, 0, nowMillis);
            scheduler.mayGo(queue, destination(queue).isDead());
        });
        if (key.gate() != Code.WINDOW && key.gate() != Code.RATE) {
            lanes.mayAskAgain().forEach(queue -> need(queue, 0, nowMillis));
        }
        scheduler.seatsMayBeFree();
    }

    /// Asks for the lanes of destinations that gave theirs to others, and for those that found no use
    /// before.
    public void askAgain(long nowMillis) {
        if (lanes.renew()) {
            lanes.withoutRoom().forEach(queue -> need(queue, 0, nowMillis));
            scheduler.seatsMayBeFree();
        }
        lanes.mayAskAgain().forEach(queue -> need(queue, 0, nowMillis));
    }
}
