package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/// *Where* does an entry go: the half of the brain that chooses hosts and connections, for all transports.
///
/// The order of service knows *who* is next. It [asks][#ask] before it takes an entry, [seats][#seat] it, passes on what connections tell
/// ([#happened]) and learns from the [Effects] how entries ended. Only this half orders `Open`, `Deliver` and `Close`.
///
/// There is one way of choosing, the [Placement], and one set of [Connections] for each transport, under rules of its own. A local mailbox,
/// an LMTP server and the discarding transport are destinations with one host ([PlaceRules#plain]). What is known of hosts is known to all
/// transports.
///
/// Pure: no clock, no chance of its own, no thread. The queue manager's thread only.
public final class Seating {
    private static final int MOST_ROUTES = 10_000;

    private final Function<String, PlaceRules> rules;
    private final DestDb hosts;
    private final HostKeys keys;
    private final HostMemory memory;
    private final RandomGenerator random;
    private final Map<String, Connections> transports = new LinkedHashMap<>();
    private final Map<String, Known> routes = new LinkedHashMap<>();
    private long numbers;

    /// The answer to the last question of the order of service.
    private Seat last = new Seat.Wait(Seat.Scope.HERE, "", List.of());

    private record Known(Route route, Candidates candidates) {}

    /// @param rules of each transport, by its name
    /// @param keys under which the hosts of routes are known
    /// @param memory told what is to be remembered of hosts
    /// @param random chooses among equal hosts
    public Seating(Function<String, PlaceRules> rules, DestDb hosts, HostKeys keys, HostMemory memory,
            RandomGenerator random) {
        this.rules = rules;
        this.hosts = hosts;
        this.keys = keys;
        this.memory = memory;
        this.random = random;
    }

    // ---- asking and seating

    /// Where would an entry go? Only a question: nothing of it is remembered.
    ///
    /// @param mayOpen the destination's window has room for one more connection
    public Seat find(QueueId message, Route route, boolean mayOpen, long nowMillis) {
        return of(route).find(new Owner.Message(message), candidates(route), mayOpen, nowMillis);
    }

    /// The same, by the order of service. A refusal is remembered until something happens that may end it ([Effects#seatsElsewhere]).
    public Seat ask(QueueId message, Route route, boolean mayOpen, long nowMillis) {
        last = of(route).ask(new Owner.Message(message), candidates(route), mayOpen, nowMillis);
        return last;
    }

    /// The seat that was found last takes no connection for itself.
    public boolean sharesSeat() {
        return last instanceof Seat.Queue || last instanceof Seat.Defer;
    }

    /// Seats an entry. Only directly after [#ask] said something other than [Seat.Wait] for it.
    ///
    /// @param delivery the number under which it ends
    public void seat(long delivery, QueueId id, Route route, List<Recipient> recipients, long nowMillis,
            OrderSink orders) {
        of(route).seat(new Assignment(delivery, id, new Owner.Message(id), candidates(route), recipients), nowMillis,
                orders);
        tellMemory();
    }

    /// May an address probe go there now? Like [#ask].
    public boolean mayProbe(Route route, long nowMillis) {
        return !(of(route).ask(new Owner.Verification(), candidates(route), true, nowMillis) instanceof Seat.Wait);
    }

    /// Seats an address probe. Only directly after [#mayProbe] said yes for it.
    public void probe(long delivery, QueueId id, Route route, Recipient recipient, long nowMillis, OrderSink orders) {
        of(route).seat(new Assignment(delivery, id, new Owner.Verification(), candidates(route), List.of(recipient)),
                nowMillis, orders);
        tellMemory();
    }

    /// Connections that open for this destination or serve it, which its window is charged with; several entries may sit on one. Empty
    /// where each entry has a connection of its own: then entries are counted.
    public OptionalInt charge(Route route) {
        Connections connections = of(route);
        return connections.carriesSeveral()
                ? OptionalInt.of(connections.serving(destination(route)))
                : OptionalInt.empty();
    }

    private Connections of(Route route) {
        return of(route.transport());
    }

    private Connections of(String transport) {
        return transports.computeIfAbsent(transport,
                name -> new Connections(rules.apply(name), hosts, random, () -> ++numbers));
    }

    private static String destination(Route route) {
        return route.transport() + "/" + route.nextHop();
    }

    // ---- hosts of a route

    private Candidates candidates(Route route) {
        String destination = destination(route);
        Known known = routes.get(destination);
        if (known == null || known.route() != route && !known.route().equals(route)) {
            known = new Known(route, new Candidates(destination, levels(route)));
            routes.remove(destination);
            routes.put(destination, known);
            if (routes.size() > MOST_ROUTES) {
                routes.remove(routes.keySet().iterator().next());
            }
        }
        return known.candidates();
    }

    private List<List<Candidate>> levels(Route route) {
        if (!(route instanceof Route.Smtp smtp)) {
            return List.of(List.of(new Candidate(keys.of(route), route.nextHop(), route)));
        }
        Map<Integer, List<Candidate>> levels = new TreeMap<>();
        for (Route.Host host : smtp.hosts()) {
            levels.computeIfAbsent(host.preference(), _ -> new ArrayList<>(2)).add(new Candidate(
                    keys.of(smtp, host), host.name(), new Route.Smtp(smtp.nextHop(), List.of(host))));
        }
        return List.copyOf(levels.values());
    }

    // ---- what connections tell

    public Effects happened(QmgrEvent.OfConnection event, long nowMillis, OrderSink orders) {
        long number = event.connection();
        if (number < 1 || number > numbers) {
            throw new ImpossibleEventException("no such connection: " + event);
        }
        Effects effects = Effects.NONE;
        for (Connections each : transports.values()) {
            if (each.knows(number)) {
                effects = each.happened(event, nowMillis, orders);
            }
        }
        tellMemory();
        return effects;
    }

    /// Gives deliveries that lost their seat another one, after the windows have learned why.
    public Effects reseat(long nowMillis, OrderSink orders) {
        return each(connections -> connections.reseat(nowMillis, orders));
    }

    /// The cohorts have declared a destination dead: the hosts that it has left are left alone until then.
    public void dead(Route route, Reply reason, long untilMillis, long nowMillis) {
        of(route).dead(candidates(route), reason, untilMillis, nowMillis);
        tellMemory();
    }

    private Effects each(Function<Connections, Effects> what) {
        Effects all = Effects.NONE;
        for (Connections each : transports.values()) {
            all = all.and(what.apply(each));
        }
        tellMemory();
        return all;
    }

    private void tellMemory() {
        if (hosts.hasChanges()) {
            memory.changed(hosts.changes());
        }
    }

    // ---- time and operators

    /// Time has passed: what was planned for now or earlier is done.
    public Effects alarm(long nowMillis, OrderSink orders) {
        return each(connections -> connections.alarm(nowMillis, orders));
    }

    /// When [#alarm] wants to be called next; `Long.MAX_VALUE` when nothing is planned.
    public long nextAlarmMillis() {
        // What an operator changed in the database between two events is told at once.
        if (hosts.hasChanges()) {
            return 0;
        }
        long next = Long.MAX_VALUE;
        for (Connections each : transports.values()) {
            next = Math.min(next, each.nextAlarmMillis());
        }
        return next;
    }

    /// An operator wants everything to be tried: what is known against hosts holds nothing back until it is seen again.
    public void flush(long nowMillis) {
        hosts.makeDue(nowMillis);
    }

    /// Revives the hosts of this route that failed before `wishedMillis`: mail that goes there was asked for by name.
    public void flush(Route route, long wishedMillis, long nowMillis) {
        candidates(route).hosts().forEach(host -> hosts.makeDue(host.host(), wishedMillis, nowMillis));
    }

    /// Leaves a host alone. What is under way there is finished.
    public void suspend(HostKey host, String why, String author, long untilMillis, long nowMillis) {
        hosts.suspend(host, why, author, untilMillis, nowMillis);
        transports.values().forEach(connections -> connections.closeIdle(host));
    }

    // ---- pictures

    public DestDb hosts() {
        return hosts;
    }

    /// Connections to the hosts of this destination, opening, busy or idle.
    public int connections(Route route) {
        return of(route).connections(candidates(route));
    }

    /// Where each delivery sits, by number; one that has lost its connection and waits for another sits nowhere.
    public Map<Long, HostPosition> positions() {
        Map<Long, HostPosition> positions = new LinkedHashMap<>();
        for (Connections each : transports.values()) {
            for (Connection connection : each.all()) {
                int ahead = 0;
                for (Assignment assignment : connection.assignments()) {
                    positions.put(assignment.number(), new HostPosition(connection.number, connection.host.toString(),
                            connection.up, ahead++));
                }
            }
        }
        return positions;
    }

    /// @param host to which the connection leads
    /// @param up it is ready
    /// @param ahead deliveries in front on it
    public record HostPosition(long connection, String host, boolean up, int ahead) {}

    /// Cheaper than a [#snapshot].
    public PlaceSnapshot.Figures figures(String transport) {
        return of(transport).figures();
    }

    public PlaceSnapshot snapshot(String transport, long nowMillis) {
        return of(transport).snapshot(nowMillis);
    }
}
