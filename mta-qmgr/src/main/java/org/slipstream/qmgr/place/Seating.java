package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.order.HostOrder;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.shard.Leases;
import org.slipstream.qmgr.wake.LimitKey;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SequencedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.StreamSupport;

/// Selects hosts and connections for the entries of all transports: the *where* of the queue
/// manager. Only this part orders `Open`, `Deliver` and `Close`.
///
/// The scheduler decides *who* is next. It [asks][#ask] before it takes an entry, [seats][#seat]
/// it, forwards connection events ([#handle]) and gets the ends of deliveries as [Effects].
///
/// All transports use the same [Placement], with one set of [Connections] and rules each. A local
/// mailbox, an LMTP server and the discard transport are destinations with one host
/// ([PlaceRules#plain]). Host records are shared by all transports.
///
/// Pure: no clock, no thread, and randomness only from the given generator. Used on the queue
/// manager's thread only.
public final class Seating {
    private static final String SMTP = "smtp";
    private static final int MOST_ROUTES = 10_000;

    private Function<String, PlaceRules> rules;
    private final DestDb hosts;
    private final HostKeys keys;
    private final HostMemory memory;
    private final RandomGenerator random;
    private final Leases leases;
    private final Map<String, Connections> transports = new LinkedHashMap<>();
    private final Map<String, Known> routes = new LinkedHashMap<>();
    /// The transports of the kind SMTP that were used.
    private final TreeSet<String> withHosts = new TreeSet<>(List.of(SMTP));
    private long numbers;

    /// The latest question of an address probe was refused.
    private boolean probeWaits;

    private record Known(Route route, Candidates candidates) {}

    /// @param rules of each transport, by its name
    /// @param keys the keys of the hosts of routes
    /// @param memory receives host records that must survive a restart
    /// @param random selects among equal hosts
    public Seating(Function<String, PlaceRules> rules, DestDb hosts, HostKeys keys, HostMemory memory,
            RandomGenerator random) {
        this(rules, hosts, keys, memory, random, Leases.whole());
    }

    /// For a shard: its queue manager uses the same leases.
    public Seating(Function<String, PlaceRules> rules, DestDb hosts, HostKeys keys, HostMemory memory,
            RandomGenerator random, Leases leases) {
        this.leases = leases;
        this.rules = rules;
        this.hosts = hosts;
        this.keys = keys;
        this.memory = memory;
        this.random = random;
    }

    /// Other rules, from the next question on. Connections stay open, and hosts keep their records.
    public void change(Function<String, PlaceRules> others) {
        rules = others;
        routes.clear();
        transports.forEach((transport, connections) -> connections.change(others.apply(transport)));
        hosts.change(others.apply(SMTP).memory());
    }

    /// The rules of a transport.
    public PlaceRules rules(String transport) {
        return rules.apply(transport);
    }

    /// True when the route leads to this host.
    ///
    /// @param key its text in lower case
    public boolean leadsTo(Route route, String key) {
        return candidates(route).hosts().anyMatch(each -> each.host().toString().equalsIgnoreCase(key));
    }

    // ---- asking and seating

    /// The seat that an entry would get now. Read-only.
    ///
    /// @param mayOpen the destination's window permits one more connection
    public Seat find(QueueId message, Route route, boolean mayOpen, long nowMillis) {
        return of(route).find(new Owner.Message(message), candidates(route), mayOpen, nowMillis);
    }

    /// [#find] for the scheduler. A refusal is recorded until an event may end it
    /// ([Effects#seatsElsewhere]).
    public Seat ask(QueueId message, Route route, boolean mayOpen, long nowMillis) {
        return of(route).ask(new Owner.Message(message), candidates(route), mayOpen, nowMillis);
    }

    /// Assigns an entry to its seat.
    ///
    /// @param seat the answer of [#ask] for this entry, with no change since
    /// @param delivery the number of the delivery
    /// @param idle how long the connection is kept after it; empty for the time of the transport
    public void seat(Seat seat, long delivery, QueueId id, Route route, List<Recipient> recipients,
            Optional<Duration> idle, long nowMillis, OrderSink orders) {
        of(route).seat(seat, new Assignment(delivery, id, new Owner.Message(id), candidates(route), recipients, idle,
                List.of()), nowMillis, orders);
        publishChanges();
    }

    /// The seat of an address probe there; empty when it has none now.
    public Optional<Seat> mayProbe(Route route, long nowMillis) {
        Optional<Seat> seat = Optional.of(of(route).ask(new Owner.Verification(), candidates(route), true, nowMillis))
                .filter(each -> !(each instanceof Seat.Wait));
        probeWaits = seat.isEmpty();
        if (probeWaits) {
            of(route).lacks(new Owner.Verification(), candidates(route), nowMillis)
                    .forEach(lack -> leases.need(lack.key(), lack.limit(), 1));
        }
        return seat;
    }

    /// Assigns an address probe to its seat.
    ///
    /// @param seat the answer of [#mayProbe], with no change since
    public void probe(Seat seat, long delivery, QueueId id, Route route, Recipient recipient, long nowMillis,
            OrderSink orders) {
        of(route).seat(seat,
                new Assignment(delivery, id, new Owner.Verification(), candidates(route), List.of(recipient)),
                nowMillis, orders);
        publishChanges();
    }

    /// Connections that open for this destination or serve it, which count against its window;
    /// several entries may share one. Empty when each entry has a connection of its own: then
    /// entries are counted.
    public OptionalInt charge(Route route) {
        Connections connections = of(route);
        return connections.carriesSeveral()
                ? OptionalInt.of(connections.open().serving(destination(route)))
                : OptionalInt.empty();
    }

    private Connections of(Route route) {
        return of(route.transport());
    }

    private Connections of(String transport) {
        return transports.computeIfAbsent(transport,
                this::create);
    }

    private Connections create(String transport) {
        PlaceRules own = rules.apply(transport);
        return new Connections(own, hosts, random, () -> ++numbers, new TransportLeases(transport, own, leases));
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
        withHosts.add(smtp.transport());
        Map<Integer, List<Candidate>> levels = new TreeMap<>();
        for (Route.Host host : smtp.hosts()) {
            levels.computeIfAbsent(host.preference(), _ -> new ArrayList<>(2)).add(new Candidate(
                    keys.of(smtp, host), host.name(), smtp.with(List.of(host))));
        }
        return List.copyOf(levels.values());
    }

    // ---- events of connections

    public Effects handle(QmgrEvent.OfConnection event, long nowMillis, OrderSink orders) {
        long number = event.connection();
        if (number < 1 || number > numbers) {
            throw new ImpossibleEventException("no such connection: " + event);
        }
        Effects effects = Effects.NONE;
        for (Connections each : transports.values()) {
            if (each.contains(number)) {
                effects = each.handle(event, nowMillis, orders);
            }
        }
        publishChanges();
        return effects;
    }

    /// Gives displaced deliveries another seat, after the windows got their feedback.
    public Effects reseat(long nowMillis, OrderSink orders) {
        return each(connections -> connections.reseat(nowMillis, orders));
    }

    /// The destination is dead: its usable hosts without a connection are marked until then.
    public void dead(Route route, Reply reason, long untilMillis, long nowMillis) {
        of(route).dead(candidates(route), reason, untilMillis, nowMillis);
        publishChanges();
    }

    private Effects each(Function<Connections, Effects> what) {
        Effects all = Effects.NONE;
        for (Connections each : transports.values()) {
            all = all.and(what.apply(each));
        }
        publishChanges();
        return all;
    }

    private void publishChanges() {
        if (hosts.hasChanges()) {
            memory.changed(hosts.changes());
        }
    }

    // ---- time and operators

    /// Handles all due times.
    public Effects alarm(long nowMillis, OrderSink orders) {
        boolean changed = hosts.hasChanges();
        Effects effects = each(connections -> connections.alarm(nowMillis, orders));
        // An operator has forgotten a failed host or ended its suspension.
        return changed ? effects.and(new Effects(List.of(), List.of(), List.of(), true)) : effects;
    }

    /// The time of the next [#alarm]; `Long.MAX_VALUE` when none is planned.
    public long nextAlarmMillis() {
        // An operator's change of the database between two events is published at once.
        if (hosts.hasChanges()) {
            return 0;
        }
        long next = Long.MAX_VALUE;
        for (Connections each : transports.values()) {
            next = Math.min(next, each.nextAlarmMillis());
        }
        return next;
    }

    /// Flush of everything: failed and crowded hosts may be tried again at once.
    public void flush(long nowMillis) {
        hosts.makeDue(nowMillis);
    }

    /// Flush by name: revives the hosts of this route that failed before `requestedMillis`.
    ///
    /// @return true when one of them may be tried earlier than before
    public boolean flush(Route route, long requestedMillis, long nowMillis) {
        return candidates(route).hosts().filter(host -> hosts.makeDue(host.host(), requestedMillis, nowMillis))
                .count() > 0;
    }

    /// Carries out an operator's order for a host. False when it changes nothing.
    public boolean order(HostKey host, HostOrder order, long nowMillis) {
        return switch (order) {
            case HostOrder.Suspend suspend -> {
                suspend(host, suspend.reason(), suspend.author(), suspend.untilMillis(), nowMillis);
                yield true;
            }
            case HostOrder.Resume _ -> hosts.resume(host);
            case HostOrder.Forget _ -> hosts.forget(host);
        };
    }

    /// Suspends a host. Running deliveries to it finish.
    public void suspend(HostKey host, String why, String author, long untilMillis, long nowMillis) {
        hosts.suspend(host, why, author, untilMillis, nowMillis);
        transports.values().forEach(connections -> connections.open().suspended(host));
    }

    /// Hosts for whose suspension mail may no longer have to wait, see [DestDb#resumed]. Each call empties
    /// the list.
    public SequencedSet<HostKey> resumed(long nowMillis) {
        return hosts.resumed(nowMillis);
    }

    /// Keeps records of destinations over a restart.
    public void keep(List<HostRow.Change> changes) {
        if (!changes.isEmpty()) {
            memory.changed(changes);
        }
    }

    /// Applies the knowledge of other shards about hosts. Deliveries that were refused may find a seat now, or
    /// need not wait any longer.
    public void learn(List<HostRow.Change> changes, long nowMillis) {
        changes.forEach(change -> hosts.learn(change, nowMillis));
        hosts.suspended(nowMillis).keySet()
                .forEach(host -> transports.values().forEach(connections -> connections.open().suspended(host)));
    }

    // ---- limits that shards share

    /// The lanes of the transport and of its hosts that a delivery lacks which may open a connection;
    /// empty when it waits for another reason.
    public List<LackingLane> lacks(QueueId message, Route route, long nowMillis) {
        return of(route).lacks(new Owner.Message(message), candidates(route), nowMillis);
    }

    /// True when deliveries of this destination lost their connection and wait for another.
    public boolean isDisplaced(Route route) {
        return of(route).displaced().isWaiting(destination(route));
    }

    /// True when an address probe waits for a seat.
    public boolean isProbeWaiting() {
        return probeWaits;
    }

    /// Deliveries of all transports that lost their connection.
    public int displaced() {
        return transports.values().stream().mapToInt(each -> each.displaced().size()).sum();
    }

    /// Connections of a transport: opening, busy or idle.
    public int connections(LimitKey.OfTransport key) {
        return of(key.name()).open().size();
    }

    /// Connections to a host: opening, busy or idle.
    public int connections(LimitKey.OfHost key) {
        return of(key.transport()).open().connections(key.host());
    }

    /// The limit of connections to a host.
    public int perHost(LimitKey.OfHost key) {
        return rules.apply(key.transport()).connectionsTo(key.host());
    }

    /// The limits of transports and hosts with connections.
    public Map<LimitKey, Integer> limitsInUse() {
        Map<LimitKey, Integer> limits = new LinkedHashMap<>();
        transports.forEach((transport, connections) -> {
            limits.put(LimitKey.transport(transport), rules.apply(transport).workers());
            connections.open().hosts().forEach(host -> limits.put(LimitKey.host(transport, host),
                    rules.apply(transport).connectionsTo(host)));
        });
        // One without a number is not shared.
        limits.values().removeIf(limit -> limit == Integer.MAX_VALUE);
        return limits;
    }

    /// Closes idle connections of a transport, or to one host.
    ///
    /// @param host empty for all
    public void closeIdle(String transport, Optional<HostKey> host, int most, long nowMillis, OrderSink orders) {
        of(transport).open().closeIdle(host, most, nowMillis, orders);
        publishChanges();
    }

    // ---- snapshots

    public Leases leases() {
        return leases;
    }

    public DestDb hosts() {
        return hosts;
    }

    /// Connections to the hosts of this destination, opening, busy or idle.
    public int connections(Route route) {
        return of(route).open().connections(candidates(route));
    }

    /// A host of this destination that refused one connection more while others worked, with its
    /// reply.
    public Optional<String> refusesMore(Route route, long nowMillis) {
        return candidates(route).hosts().flatMap(candidate -> hosts.crowd(candidate.host(), nowMillis).stream()
                .map(crowd -> candidate.name() + " " + crowd.reason())).findFirst();
    }

    /// Connections of all transports that are opening or busy.
    public int busy() {
        int busy = 0;
        for (Connections each : transports.values()) {
            busy += each.open().busy();
        }
        return busy;
    }

    /// Connections of this transport that are opening or busy.
    public int busy(String transport) {
        Connections known = transports.get(transport);
        return known == null ? 0 : known.open().busy();
    }

    /// The connection of each delivery, by number; displaced deliveries are absent.
    public Map<Long, HostPosition> positions() {
        Map<Long, HostPosition> positions = new LinkedHashMap<>();
        for (Connections each : transports.values()) {
            for (Connection connection : each.open().all()) {
                int ahead = 0;
                for (Assignment assignment : connection.assignments()) {
                    positions.put(assignment.number(), new HostPosition(connection.number, connection.host.toString(),
                            connection.up, ahead++));
                }
            }
        }
        return positions;
    }

    /// @param host the host of the connection
    /// @param up the connection is ready
    /// @param ahead earlier deliveries on the connection
    public record HostPosition(long connection, String host, boolean up, int ahead) {}

    public PlaceSnapshot.PlaceFigures figures(String transport) {
        return of(transport).open().figures();
    }

    /// The connections of all transports with hosts. Cheaper than a [#snapshot].
    public PlaceSnapshot.PlaceFigures figures() {
        return withHosts.stream().map(this::figures).reduce(PlaceSnapshot.PlaceFigures::and)
                .orElseThrow();
    }

    /// The connections of each transport in order of opening, at most this number of each.
    public List<PlaceSnapshot.ConnectionInfo> connections(int most) {
        List<PlaceSnapshot.ConnectionInfo> infos = new ArrayList<>();
        transports.values().forEach(
                each -> StreamSupport.stream(each.open().all().spliterator(), false).limit(most)
                        .map(PlaceSnapshot::info).forEach(infos::add));
        return infos;
    }

    /// All transports with hosts.
    public PlaceSnapshot snapshot(long nowMillis) {
        return withHosts.stream().map(each -> of(each).snapshot(nowMillis)).reduce(PlaceSnapshot::and).orElseThrow();
    }
}
