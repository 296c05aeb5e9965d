package org.slipstream.qmgr.lane;

import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.Seating;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The plain seating: a fixed number of lanes, one lane is one connection, one connection carries one entry at a time.
///
/// **Two gates**, in this order. *Everywhere*: the transport has all its lanes (Postfix `default_process_limit`) and none
/// of them is idle. *Here*: the destination has all its lanes (`default_destination_concurrency_limit`) and none of them
/// is idle. The second is the ceiling of the destination's window, as connections see it: it also holds where recipients
/// have windows of their own and share a next hop.
///
/// **Which lane.** An idle lane to the same destination, the most recently used one, so that superfluous lanes grow old
/// and are closed. Otherwise a new lane; when the transport has no lane left for it, the lane that has been idle for
/// longest, to whatever destination, is closed to make room. An idle lane never pulls work out of order: it is merely the
/// cheapest seat for whoever is next.
///
/// **Life of a lane.** `OPENING` with its entry → `BUSY` → `IDLE` → `BUSY` …, until it fails to open, breaks, is lost, or
/// has been idle for long enough. Closing is not answered and not waited for; a number is never used twice, so a late word
/// about a closed lane is recognised and dropped.
///
/// **How long it idles** (PF-71). Where deliveries follow each other without a pause connections are kept for the full idle time.
/// Where they trickle an idle connection holds a process of somebody else's server for nothing, and is closed after a moment. The
/// hint is Postfix's: on when a delivery starts within a second of the end of another, off when one starts alone later than
/// that. A connection is not used for more than five minutes, so that a change of addresses or a better host is noticed.
///
/// **Crossing.** A peer may hang up an idle lane at the moment at which an entry is sent on its way over it. That is no
/// failed attempt: when the loss is heard, the entry moves to another lane at once, and the answer of the lost lane, should
/// one come, is dropped.
///
/// All work is O(1) per event. The ladder of hosts, backlogs and budgets (Tony Finch's placement) replaces this class
/// behind the same interface.
public final class LaneSeating implements Seating {
    private static final Answer FREE = new Answer.Free();

    /// Age at which a connection is not used again (Postfix `smtp_connection_reuse_time_limit`).
    private static final long REUSE_MILLIS = 300_000;

    private final QmgrConfig config;
    private final Map<Long, Lane> lanes = new LinkedHashMap<>();
    private final Map<String, Pool> pools = new LinkedHashMap<>();
    private long connections;

    public LaneSeating(QmgrConfig config) {
        this.config = config;
    }

    @Override
    public Answer ask(QueueId message, Route route, long nowMillis) {
        Pool pool = pools.get(route.transport());
        if (pool == null) {
            return FREE;
        }
        if (pool.lanes >= pool.limit && pool.idle.isEmpty()) {
            return pool.full;
        }
        Site site = pool.sites.get(route.nextHop());
        boolean full = site != null && site.lanes >= pool.limitPerSite && site.idle.isEmpty();
        return full ? site.full : FREE;
    }

    @Override
    public Map<Long, Position> positions() {
        Map<Long, Position> positions = new LinkedHashMap<>();
        lanes.values().forEach(lane -> lane.load.ifPresent(load -> positions.put(load.delivery(),
                new Position(lane.connection, lane.site.toString(), lane.isUp(), 0))));
        return positions;
    }

    @Override
    public void seat(Load load, long nowMillis, OrderSink orders) {
        Site site = site(load.route());
        site.starts(nowMillis);
        Lane idle = site.idle.peek();
        if (idle == null) {
            open(site, load, orders);
        } else {
            leaveIdle(idle);
            deliver(idle, load, orders);
        }
    }

    @Override
    public Aftermath happened(QmgrEvent.OfConnection event, long nowMillis, OrderSink orders) {
        return switch (event) {
            case QmgrEvent.ConnectionReady ready -> ready(ready, nowMillis, orders);
            case QmgrEvent.ConnectionFailed failed -> failed(failed);
            case QmgrEvent.DeliveryDone done -> done(done, nowMillis, orders);
            case QmgrEvent.ConnectionLost lost -> lost(lost, nowMillis, orders);
            case QmgrEvent.DeliveryReturned returned -> returned(returned, nowMillis, orders);
            case QmgrEvent.ConnectionDepth _,QmgrEvent.PipelinesBadly _ -> Aftermath.NOTHING; // one at a time anyway
        };
    }

    @Override
    public Aftermath alarm(long nowMillis, OrderSink orders) {
        for (Pool pool : pools.values()) {
            while (pool.idle.nextMillis() <= nowMillis) {
                close(pool.idle.next(), orders);
            }
        }
        return Aftermath.NOTHING;
    }

    @Override
    public long nextAlarmMillis() {
        long next = Long.MAX_VALUE;
        for (Pool pool : pools.values()) {
            next = Math.min(next, pool.idle.nextMillis());
        }
        return next;
    }

    @Override
    public int connections(Route route) {
        return Optional.ofNullable(pools.get(route.transport())).map(pool -> pool.sites.get(route.nextHop()))
                .map(site -> site.lanes).orElse(0);
    }

    private Aftermath ready(QmgrEvent.ConnectionReady event, long nowMillis, OrderSink orders) {
        Lane lane = opening(event.connection());
        lane.upSinceMillis = nowMillis;
        lane.site.up++;
        deliver(lane, lane.load.orElseThrow(), orders);
        return Aftermath.NOTHING;
    }

    private Aftermath failed(QmgrEvent.ConnectionFailed event) {
        Lane lane = opening(event.connection());
        forget(lane);
        Load load = lane.load.orElseThrow();
        Outcome outcome = Outcome.of(event.reason(), event.remote());
        return Aftermath.of(new Fate.Troubled(load.delivery(),
                load.recipients().stream().map(r -> new RecipientOutcome(r.number(), outcome)).toList(), event.reason(),
                lane.site.up == 0));
    }

    private Aftermath done(QmgrEvent.DeliveryDone event, long nowMillis, OrderSink orders) {
        Lane lane = lanes.get(event.connection());
        if (lane == null && event.connection() <= connections && event.connection() > 0) {
            return Aftermath.NOTHING; // its entry was moved when the loss of the lane was heard
        }
        if (lane == null || lane.phase != Lane.Phase.BUSY
                || lane.load.orElseThrow().delivery() != event.delivery()) {
            throw impossible(event + ", but the lane is " + lane, lane);
        }
        lane.site.done(nowMillis);
        if (!event.usable()) {
            forget(lane);
        } else if (nowMillis - lane.upSinceMillis >= REUSE_MILLIS) {
            close(lane, orders);
        } else {
            becomeIdle(lane, nowMillis);
        }
        return Aftermath.of(event.siteTrouble()
                ? new Fate.Troubled(event.delivery(), event.outcomes(), reason(event), lane.site.up == 0)
                : new Fate.Worked(event.delivery(), event.outcomes()));
    }

    // With one entry at a time that is an answer: it did not work.
    private Aftermath returned(QmgrEvent.DeliveryReturned event, long nowMillis, OrderSink orders) {
        Lane lane = lanes.get(event.connection());
        List<RecipientOutcome> outcomes = lane == null
                ? List.of()
                : lane.load.stream().flatMap(load -> load.recipients().stream())
                        .map(r -> new RecipientOutcome(r.number(), Outcome.of(event.reason(), event.remote())))
                        .toList();
        return done(new QmgrEvent.DeliveryDone(event.delivery(), event.connection(), outcomes, false, true), nowMillis,
                orders);
    }

    private Aftermath lost(QmgrEvent.ConnectionLost event, long nowMillis, OrderSink orders) {
        Lane lane = lanes.get(event.connection());
        if (lane == null) {
            return Aftermath.NOTHING; // closed by us while the peer hung up
        }
        if (lane.phase == Lane.Phase.OPENING) {
            throw impossible(event + ", but the lane is " + lane, lane);
        }
        forget(lane);
        lane.load.ifPresent(load -> seat(load, nowMillis, orders));
        return Aftermath.NOTHING;
    }

    private static Reply reason(QmgrEvent.DeliveryDone event) {
        return event.outcomes().stream().map(RecipientOutcome::outcome).filter(o -> !(o instanceof Outcome.Delivered))
                .findFirst().map(Outcome::reply).orElse(Reply.of(451, "4.4.2", "connection trouble"));
    }

    private Lane opening(long connection) {
        Lane lane = lanes.get(connection);
        if (lane == null || lane.phase != Lane.Phase.OPENING) {
            throw impossible("connection=" + connection + " was not opening: " + lane, lane);
        }
        return lane;
    }

    private static ImpossibleEventException impossible(String text, Lane lane) {
        return new ImpossibleEventException(text, Optional.ofNullable(lane).flatMap(l -> l.load).map(Load::id));
    }

    private void open(Site site, Load load, OrderSink orders) {
        if (site.pool.lanes >= site.pool.limit) {
            close(site.pool.idle.first(), orders);
        }
        Lane lane = new Lane(++connections, site, load);
        lanes.put(lane.connection, lane);
        site.lanes++;
        site.pool.lanes++;
        // A site enters its pool with its first lane and leaves it with its last.
        site.pool.sites.putIfAbsent(site.nextHop, site);
        orders.order(new QmgrOrder.Open(lane.connection, load.route()));
    }

    private static void deliver(Lane lane, Load load, OrderSink orders) {
        lane.phase = Lane.Phase.BUSY;
        lane.load = Optional.of(load);
        orders.order(
                new QmgrOrder.Deliver(load.delivery(), lane.connection, load.id(), load.route(), load.recipients()));
    }

    private static void becomeIdle(Lane lane, long nowMillis) {
        lane.phase = Lane.Phase.IDLE;
        lane.load = Optional.empty();
        lane.idleSinceMillis = nowMillis;
        lane.site.idle.push(lane);
        lane.site.pool.idle.add(lane);
    }

    private static void leaveIdle(Lane lane) {
        lane.site.idle.remove(lane);
        lane.site.pool.idle.remove(lane);
    }

    private void close(Lane lane, OrderSink orders) {
        forget(lane);
        orders.order(new QmgrOrder.Close(lane.connection));
    }

    private void forget(Lane lane) {
        lanes.remove(lane.connection);
        Site site = lane.site;
        if (lane.phase == Lane.Phase.IDLE) {
            leaveIdle(lane);
        }
        if (lane.isUp()) {
            site.up--;
        }
        site.pool.lanes--;
        if (--site.lanes == 0) {
            site.pool.sites.remove(site.nextHop);
        }
    }

    private Site site(Route route) {
        Pool pool = pools.computeIfAbsent(route.transport(),
                name -> new Pool(name, config.transport(name), config.idleLaneMillis()));
        Site site = pool.sites.get(route.nextHop());
        return site == null ? new Site(pool, route.nextHop(), pool.limitPerSite) : site;
    }
}
