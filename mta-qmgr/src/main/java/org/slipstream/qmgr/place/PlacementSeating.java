package org.slipstream.qmgr.place;

import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.qmgr.Seating;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Seats entries for SMTP by Finch's placement, and all others in plain lanes.
///
/// **Translation, nothing else.** A route becomes [Candidates], its hosts in levels of preference; an entry becomes a load; a
/// [Seat] becomes an answer; what a connection tells becomes news; what became of a load becomes a fate. An `Open` names the
/// destination's route, narrowed to the one host that was chosen: whoever opens has nothing to choose any more.
///
/// **Two families of connections, one row of numbers.** The lanes' numbers are the odd ones, the placement's the even ones.
///
/// Not for several threads: the queue manager's.
public final class PlacementSeating implements Seating {
    private static final Answer FREE = new Answer.Free();
    private static final Answer RIDES = new Answer.Free(true);
    private static final int MOST_ROUTES = 10_000;

    /// What carriers call the remote when the trouble is ours.
    private static final String OURS = "local";

    private final Seating lanes;
    private final Workers workers;
    private final HostKeys keys;
    private final HostMemory memory;
    private final Map<Long, Load> loads = new LinkedHashMap<>();
    private final Map<String, Known> routes = new LinkedHashMap<>();

    private record Known(Route.Smtp route, Candidates candidates) {}

    /// @param lanes seats what does not go by SMTP
    public PlacementSeating(Seating lanes, Workers workers, HostKeys keys, HostMemory memory) {
        this.lanes = lanes;
        this.workers = workers;
        this.keys = keys;
        this.memory = memory;
    }

    // ---- asking and seating

    @Override
    public Answer ask(QueueId message, Route route, long nowMillis) {
        return ask(message, route, true, nowMillis);
    }

    @Override
    public Answer ask(QueueId message, Route route, boolean mayOpen, long nowMillis) {
        if (!(route instanceof Route.Smtp smtp)) {
            return lanes.ask(message, route, mayOpen, nowMillis);
        }
        return answer(workers.ask(new Payer.Message(message), candidates(smtp), mayOpen, nowMillis));
    }

    @Override
    public Answer look(QueueId message, Route route, boolean mayOpen, long nowMillis) {
        return route instanceof Route.Smtp smtp
                ? answer(workers.look(new Payer.Message(message), candidates(smtp), mayOpen, nowMillis))
                : lanes.look(message, route, mayOpen, nowMillis);
    }

    private static Answer answer(Seat seat) {
        return switch (seat) {
            case Seat.Queue _,Seat.Defer _ -> RIDES;
            case Seat.Reuse _,Seat.Open _ -> FREE;
            case Seat.Wait wait -> switch (wait.scope()) {
                case MESSAGE -> new Answer.FullForMessage(wait.reason());
                case HERE, UNPROVEN -> new Answer.FullHere(wait.reason());
                case EVERYWHERE -> new Answer.FullEverywhere(wait.reason());
            };
        };
    }

    /// Where an entry would go now, and why other hosts were passed over. Changes nothing.
    public Seat explain(QueueId message, Route.Smtp route, boolean mayOpen, long nowMillis) {
        return workers.look(new Payer.Message(message), candidates(route), mayOpen, nowMillis);
    }

    @Override
    public Map<Long, Position> positions() {
        Map<Long, Position> positions = new LinkedHashMap<>();
        lanes.positions().forEach((delivery, lane) -> positions.put(delivery,
                new Position(ofLane(lane.connection()), lane.host(), lane.up(), lane.ahead())));
        for (Workers.Occupied connection : workers.occupied()) {
            int ahead = 0;
            for (long delivery : connection.deliveries()) {
                positions.put(delivery, new Position(ofPlace(connection.connection()), connection.host().toString(),
                        connection.up(), ahead++));
            }
        }
        return positions;
    }

    private static long ofLane(long connection) {
        return 2 * connection - 1;
    }

    private static long ofPlace(long connection) {
        return 2 * connection;
    }

    @Override
    public void seat(Load load, long nowMillis, OrderSink orders) {
        if (load.route() instanceof Route.Smtp smtp) {
            loads.put(load.delivery(), load);
            workers.seat(new org.slipstream.qmgr.place.Load(load.delivery(), new Payer.Message(load.id()),
                    candidates(smtp), load.recipients()), nowMillis, new ToPlaces(orders));
            tellMemory();
        } else {
            lanes.seat(load, nowMillis, toLanes(orders));
        }
    }

    @Override
    public OptionalInt charge(Route route) {
        if (!(route instanceof Route.Smtp)) {
            return lanes.charge(route);
        }
        // With one delivery at a time on each connection, deliveries and connections are the same number.
        return workers.carriesSeveral() ? OptionalInt.of(workers.serving(destination(route))) : OptionalInt.empty();
    }

    @Override
    public int connections(Route route) {
        return route instanceof Route.Smtp smtp ? workers.connections(candidates(smtp)) : lanes.connections(route);
    }

    private static String destination(Route route) {
        return route.transport() + "/" + route.nextHop();
    }

    // ---- hosts of a route

    private Candidates candidates(Route.Smtp route) {
        Known known = routes.get(route.nextHop());
        if (known == null || known.route() != route && !known.route().equals(route)) {
            known = new Known(route, new Candidates(destination(route), levels(route)));
            routes.remove(route.nextHop());
            routes.put(route.nextHop(), known);
            if (routes.size() > MOST_ROUTES) {
                routes.remove(routes.keySet().iterator().next());
            }
        }
        return known.candidates();
    }

    private List<List<Candidate>> levels(Route.Smtp route) {
        Map<Integer, List<Candidate>> levels = new TreeMap<>();
        for (Route.Host host : route.hosts()) {
            levels.computeIfAbsent(host.preference(), _ -> new ArrayList<>(2))
                    .add(new Candidate(keys.of(route, host), host.name()));
        }
        return List.copyOf(levels.values());
    }

    /// The first host of the route that goes by the chosen key.
    private Route.Smtp narrowed(Route.Smtp route, Candidate chosen) {
        Route.Host host = route.hosts().stream().filter(each -> keys.of(route, each).equals(chosen.host())).findFirst()
                .orElseThrow(() -> new IllegalStateException(chosen + " is no host of " + route));
        return new Route.Smtp(route.nextHop(), List.of(host));
    }

    // ---- what connections tell

    @Override
    public Aftermath happened(QmgrEvent.OfConnection event, long nowMillis, OrderSink orders) {
        long number = numberOf(event);
        if (number % 2 != 0) {
            return lanes.happened(withNumber(event, (number + 1) / 2), nowMillis, toLanes(orders));
        }
        try {
            return translate(workers.happened(news(event, number / 2), nowMillis, new ToPlaces(orders)));
        } catch (ImpossibleNewsException impossible) {
            throw new ImpossibleEventException(impossible.getMessage());
        }
    }

    @Override
    public Aftermath alarm(long nowMillis, OrderSink orders) {
        Aftermath ofLanes = lanes.nextAlarmMillis() <= nowMillis
                ? lanes.alarm(nowMillis, toLanes(orders))
                : Aftermath.NOTHING;
        Aftermath ofPlaces = workers.nextAlarmMillis() <= nowMillis
                ? translate(workers.alarm(nowMillis, new ToPlaces(orders)))
                : Aftermath.NOTHING;
        tellMemory();
        return new Aftermath(Stream.of(ofLanes, ofPlaces).flatMap(a -> a.fates().stream()).toList(),
                ofLanes.seatsElsewhere() || ofPlaces.seatsElsewhere(),
                Stream.of(ofLanes, ofPlaces).flatMap(a -> a.troubles().stream()).toList());
    }

    @Override
    public void flush(long nowMillis) {
        workers.hosts().makeDue(nowMillis);
        lanes.flush(nowMillis);
    }

    @Override
    public void flush(Route route, long wishedMillis, long nowMillis) {
        if (route instanceof Route.Smtp smtp) {
            candidates(smtp).levels().stream().flatMap(List::stream)
                    .forEach(host -> workers.hosts().makeDue(host.host(), wishedMillis, nowMillis));
        } else {
            lanes.flush(route, wishedMillis, nowMillis);
        }
    }

    @Override
    public long nextAlarmMillis() {
        // What an operator changed in the database between two events is told at once.
        return workers.hosts().hasChanges() ? 0 : Math.min(lanes.nextAlarmMillis(), workers.nextAlarmMillis());
    }

    private static long numberOf(QmgrEvent.OfConnection event) {
        return switch (event) {
            case QmgrEvent.ConnectionReady e -> e.connection();
            case QmgrEvent.ConnectionFailed e -> e.connection();
            case QmgrEvent.DeliveryDone e -> e.connection();
            case QmgrEvent.DeliveryReturned e -> e.connection();
            case QmgrEvent.ConnectionLost e -> e.connection();
            case QmgrEvent.ConnectionDepth e -> e.connection();
            case QmgrEvent.PipelinesBadly e -> e.connection();
        };
    }

    private static QmgrEvent.OfConnection withNumber(QmgrEvent.OfConnection event, long number) {
        return switch (event) {
            case QmgrEvent.ConnectionReady _ -> new QmgrEvent.ConnectionReady(number);
            case QmgrEvent.ConnectionFailed e -> new QmgrEvent.ConnectionFailed(number, e.reason(), e.remote());
            case QmgrEvent.DeliveryDone e ->
                new QmgrEvent.DeliveryDone(e.delivery(), number, e.outcomes(), e.usable(), e.siteTrouble());
            case QmgrEvent.DeliveryReturned e ->
                new QmgrEvent.DeliveryReturned(e.delivery(), number, e.reason(), e.remote(), e.mayHaveArrived());
            case QmgrEvent.ConnectionLost e -> new QmgrEvent.ConnectionLost(number, e.reason());
            case QmgrEvent.ConnectionDepth e -> new QmgrEvent.ConnectionDepth(number, e.deliveries());
            case QmgrEvent.PipelinesBadly e -> new QmgrEvent.PipelinesBadly(number, e.what());
        };
    }

    private static ConnectionNews news(QmgrEvent.OfConnection event, long number) {
        return switch (event) {
            case QmgrEvent.ConnectionReady _ -> new ConnectionNews.Ready(number);
            case QmgrEvent.ConnectionFailed e -> new ConnectionNews.Failed(number, e.reason(), e.remote(),
                    e.remote().equals(OURS), OptionalLong.empty());
            case QmgrEvent.DeliveryDone e ->
                new ConnectionNews.Answered(number, e.delivery(), e.outcomes(), e.usable(), e.siteTrouble());
            case QmgrEvent.DeliveryReturned e ->
                new ConnectionNews.Returned(number, e.delivery(), e.reason(), e.remote(), e.mayHaveArrived());
            case QmgrEvent.ConnectionLost e -> new ConnectionNews.Lost(number, e.reason());
            case QmgrEvent.ConnectionDepth e -> new ConnectionNews.Depth(number, e.deliveries());
            case QmgrEvent.PipelinesBadly e -> new ConnectionNews.PipelinesBadly(number, e.what());
        };
    }

    // ---- what it meant

    private Aftermath translate(org.slipstream.qmgr.place.Aftermath aftermath) {
        tellMemory();
        return new Aftermath(aftermath.fates().stream().map(this::translate).toList(), aftermath.seats(),
                aftermath.troubles().stream().map(t -> new Aftermath.Trouble(t.delivery(), t.reason())).toList());
    }

    private Fate translate(org.slipstream.qmgr.place.Aftermath.Fate fate) {
        loads.remove(fate.delivery());
        return switch (fate) {
            case org.slipstream.qmgr.place.Aftermath.Fate.Worked f ->
                new Fate.Worked(f.delivery(), f.outcomes(), f.released());
            case org.slipstream.qmgr.place.Aftermath.Fate.Troubled f ->
                new Fate.Troubled(f.delivery(), f.outcomes(), f.reason(), f.cutOff());
            case org.slipstream.qmgr.place.Aftermath.Fate.Untried f ->
                new Fate.Untried(f.delivery(), f.outcomes(), f.resumesMillis());
        };
    }

    private void tellMemory() {
        if (workers.hosts().hasChanges()) {
            memory.changed(workers.hosts().changes());
        }
    }

    // ---- orders

    private OrderSink toLanes(OrderSink orders) {
        return order -> orders.order(switch (order) {
            case QmgrOrder.Open o -> new QmgrOrder.Open(ofLane(o.connection()), o.route());
            case QmgrOrder.Deliver o ->
                new QmgrOrder.Deliver(o.delivery(), ofLane(o.connection()), o.id(), o.route(), o.recipients());
            case QmgrOrder.Close o -> new QmgrOrder.Close(ofLane(o.connection()));
            case QmgrOrder other -> other;
        });
    }

    private final class ToPlaces implements PlaceOrders {
        private final OrderSink orders;

        ToPlaces(OrderSink orders) {
            this.orders = orders;
        }

        @Override
        public void open(long connection, Candidate host, org.slipstream.qmgr.place.Load first) {
            Route.Smtp route = (Route.Smtp) loads.get(first.delivery()).route();
            orders.order(new QmgrOrder.Open(ofPlace(connection), narrowed(route, host)));
        }

        @Override
        public void deliver(long connection, org.slipstream.qmgr.place.Load load) {
            Load seated = loads.get(load.delivery());
            orders.order(new QmgrOrder.Deliver(load.delivery(), ofPlace(connection), seated.id(), seated.route(),
                    seated.recipients()));
        }

        @Override
        public void close(long connection) {
            orders.order(new QmgrOrder.Close(ofPlace(connection)));
        }
    }
}
