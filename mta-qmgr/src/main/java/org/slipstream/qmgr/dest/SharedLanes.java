package org.slipstream.qmgr.dest;

import org.slipstream.core.HostKey;
import org.slipstream.core.Route;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.place.LackingLane;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.shard.Leases;
import org.slipstream.qmgr.wake.LimitKey;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.qmgr.wake.RateLimits;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/// The limits that this shard shares with others, seen from its destinations: which lanes a delivery
/// lacks, and which are in use.
final class SharedLanes implements Lanes, Leases.LeaseUse {
    /// The pause before lanes are asked for again that found no use.
    private static final long PAUSE_MILLIS = 20;

    private final Leases leases;
    private final Seating seating;
    private final Groups groups;
    private final StepContext step;
    private final ToIntFunction<DestinationQueue> charge;
    private final RateLimits rates;
    private final Map<String, DestinationQueue> byName = new LinkedHashMap<>();
    private final Map<DestinationQueue, LimitKey> keys = new LinkedHashMap<>();
    private final Consumer<LimitKey> changed;
    private long pauseEndsMillis = Long.MAX_VALUE;

    /// Destinations with waiting mail that returned their lanes to others, and which the scheduler
    /// does not select without one.
    private final Set<DestinationQueue> withoutLane = new LinkedHashSet<>();

    /// @param charge connections or deliveries that count against the window of a destination
    /// @param changed the shard holds more or fewer lanes of this limit
    SharedLanes(Leases leases, Seating seating, Groups groups, StepContext step,
            ToIntFunction<DestinationQueue> charge, RateLimits rates, Consumer<LimitKey> changed) {
        this.changed = changed;
        this.leases = leases;
        this.seating = seating;
        this.groups = groups;
        this.step = step;
        this.charge = charge;
        this.rates = rates;
    }

    @Override
    public void change(QmgrConfig settings) {
        leases.change(key -> switch (key) {
            case LimitKey.OfServer _,LimitKey.OfGroup _,LimitKey.OfGroupRate _ -> groups.limit(key);
            case LimitKey.OfTransport(String name) -> Optional.of(settings.transport(name).workers());
            case LimitKey.OfHost host -> Optional.of(seating.perHost(host));
            // Those of a destination change with it.
            case LimitKey.OfDestination _,LimitKey.OfRate _ -> Optional.of(Integer.MAX_VALUE);
        });
    }

    @Override
    public void rateIs(DestinationQueue queue, Optional<Rate> rate) {
        LimitKey key = LimitKey.rate(queue.toString());
        rate.ifPresentOrElse(each -> leases.limitIs(key, each.deliveries()), () -> leases.drop(key));
    }

    @Override
    public void enter(DestinationQueue queue) {
        byName.put(queue.toString(), queue);
        keys.put(queue, LimitKey.destination(queue.toString()));
    }

    @Override
    public void leave(DestinationQueue queue) {
        leases.drop(key(queue));
        byName.remove(queue.toString());
        keys.remove(queue);
        withoutLane.remove(queue);
    }

    private LimitKey key(DestinationQueue queue) {
        return Objects.requireNonNull(keys.get(queue));
    }

    @Override
    public Optional<DestinationQueue> find(LimitKey key) {
        return switch (key) {
            case LimitKey.OfDestination(String name) -> Optional.ofNullable(byName.get(name));
            case LimitKey.OfRate(String name) -> Optional.ofNullable(byName.get(name));
            default -> Optional.empty();
        };
    }

    // ---- windows

    @Override
    public int limit(DestinationQueue queue, int window) {
        return leases.limit(key(queue), window);
    }

    @Override
    public void windowIs(DestinationQueue queue, int window) {
        leases.limitIs(key(queue), window);
    }

    @Override
    public boolean isHeldBack(DestinationQueue queue) {
        return leases.isAsked(key(queue));
    }

    @Override
    public void needWindow(DestinationQueue queue, int window, int deliveries) {
        int missing = Math.min(window, deliveries) - leases.held(key(queue));
        if (missing > 0) {
            leases.need(key(queue), window, missing);
        }
    }

    @Override
    public void needRate(DestinationQueue queue, Rate rate) {
        leases.need(LimitKey.rate(queue.toString()), rate.deliveries(), Math.max(1, queue.waiting()));
    }

    /// Starts per period that this shard may make.
    private int deliveries(DestinationQueue queue, Rate rate) {
        return leases.limit(LimitKey.rate(queue.toString()), rate.deliveries());
    }

    // ---- lacks

    @Override
    public List<LackingLane> lacks(Message message, DestinationQueue queue, int window, boolean mayOpen) {
        List<LackingLane> lacks = new ArrayList<>(groups.lacks(queue));
        if (charge.applyAsInt(queue) >= limit(queue, window) && leases.isShort(key(queue), window)) {
            lacks.add(new LackingLane(key(queue), window));
        }
        if (mayOpen) {
            lacks.addAll(seating.lacks(message.id(), queue.route(), step.nowMillis()));
        }
        return lacks;
    }

    @Override
    public void need(List<LackingLane> lacks, DestinationQueue queue) {
        for (LackingLane lack : lacks) {
            // Many destinations with little mail each share the connections of a transport.
            int lanes = lack.key() instanceof LimitKey.OfDestination || lack.key() instanceof LimitKey.OfHost
                    ? queue.waiting()
                    : Math.max(queue.waiting(), leases.held(lack.key()));
            leases.need(lack.key(), lack.limit(), Math.max(1, lanes));
        }
    }

    @Override
    public Optional<LackingLane> lackOfRate(DestinationQueue queue, Rate rate) {
        return deliveries(queue, rate) < rate.deliveries()
                ? Optional.of(new LackingLane(LimitKey.rate(queue.toString()), rate.deliveries()))
                : Optional.empty();
    }

    @Override
    public String words(LackingLane lack) {
        return leases.words(lack.key(), lack.limit());
    }

    // ---- use

    @Override
    public int used(LimitKey key) {
        return switch (key) {
            case LimitKey.OfServer _ -> seating.busy() + seating.displaced();
            case LimitKey.OfTransport transport -> seating.connections(transport);
            case LimitKey.OfHost host -> seating.connections(host);
            case LimitKey.OfGroup group when group.kind() == LimitKey.GroupKind.SENDER -> groups.used(group);
            case LimitKey.OfGroup group -> groups.used(group) + seating.displaced();
            case LimitKey.OfGroupRate rate -> rates.count(rate, step.nowMillis());
            case LimitKey.OfDestination _ -> find(key).map(this::usedBy).orElse(0);
            case LimitKey.OfRate rate -> rates.count(rate, step.nowMillis());
        };
    }

    // A delivery that lost its connection may open another in its place.
    private int usedBy(DestinationQueue queue) {
        Route route = queue.route();
        return queue.countsConnections() && seating.isDisplaced(route)
                ? Math.max(charge.applyAsInt(queue), leases.held(key(queue)))
                : charge.applyAsInt(queue);
    }

    @Override
    public void closeIdle(LimitKey key, int connections) {
        switch (key) {
            case LimitKey.OfTransport(String transport) ->
                seating.closeIdle(transport, Optional.empty(), connections, step.nowMillis(), step.orders());
            case LimitKey.OfHost(String transport, HostKey host) ->
                seating.closeIdle(transport, Optional.of(host), connections, step.nowMillis(), step.orders());
            case LimitKey.OfServer _,LimitKey.OfGroup _,LimitKey.OfGroupRate _,LimitKey.OfDestination _,LimitKey.OfRate _ -> {
                // Their lanes have no connections of their own.
            }
        }
    }

    @Override
    public boolean isWaiting(LimitKey key) {
        // Those of destinations end with them. Probes and displaced deliveries wait in no queue.
        return isOfDestination(key) || seating.displaced() > 0 || seating.isProbeWaiting()
                || byName.values().stream().anyMatch(queue -> queue.waiting() > 0);
    }

    private static boolean isOfDestination(LimitKey key) {
        return key instanceof LimitKey.OfDestination || key instanceof LimitKey.OfRate;
    }

    // ---- events

    @Override
    public void happened(QmgrEvent.LeaseEvent event) {
        leases.happened(event);
        if (event instanceof QmgrEvent.LeaseGranted(LimitKey key, int _)) {
            changed.accept(key);
        }
    }

    @Override
    public void returned(LimitKey key) {
        if (isOfDestination(key)) {
            changed.accept(key);
            find(key).filter(queue -> queue.waiting() > 0 && !queue.hasRoom()).ifPresent(withoutLane::add);
        }
    }

    @Override
    public List<DestinationQueue> mayAskAgain() {
        List<DestinationQueue> may = new ArrayList<>(0);
        for (DestinationQueue queue : List.copyOf(withoutLane)) {
            Optional<Message> next = queue.entries().stream().findFirst().map(Entry::message);
            List<LackingLane> lacks = new ArrayList<>(groups.lacks(queue));
            next.ifPresent(message -> lacks.addAll(
                    seating.lacks(message.id(), queue.route(), step.nowMillis())));
            if (lacks.isEmpty()) {
                withoutLane.remove(queue);
                may.add(queue);
            } else {
                need(lacks, queue);
            }
        }
        return may;
    }

    @Override
    public boolean renew() {
        boolean again = leases.isSuppressed();
        leases.renew();
        pauseEndsMillis = Long.MAX_VALUE;
        return again;
    }

    @Override
    public List<DestinationQueue> withoutRoom() {
        return byName.values().stream().filter(queue -> queue.waiting() > 0 && !queue.hasRoom()).toList();
    }

    @Override
    public void settle(boolean chosen) {
        leases.settle(this, chosen);
        leases.drain(step::order);
        if (leases.isSuppressed() && pauseEndsMillis == Long.MAX_VALUE) {
            pauseEndsMillis = step.nowMillis() + PAUSE_MILLIS;
        }
    }

    @Override
    public long nextMillis(long nowMillis) {
        return Math.min(pauseEndsMillis, leases.ratesDue().stream()
                .mapToLong(key -> rates.nextEndMillis(key, nowMillis)).min().orElse(Long.MAX_VALUE));
    }
}
