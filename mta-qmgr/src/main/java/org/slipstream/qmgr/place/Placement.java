package org.slipstream.qmgr.place;

import org.slipstream.core.Reply;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.qmgr.place.Seat.PassedOver;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/// Selects the host and the connection of a delivery: Finch's placement algorithm. The question is
/// read-only and has a reason with each answer.
///
/// **The problem.** A domain has several hosts, a host several connections, a connection a queue.
/// Most mail servers first select a host (by preference, at random, RFC 5321 section 5.1) and then
/// look for a connection. They open connections although one is open, retry dead hosts again and
/// again, and cannot distinguish a busy cluster from an idle one.
///
/// **The idea.** The choice uses known facts. The algorithm tries seats from the cheapest to the
/// most expensive and takes the first available: a busy connection with room; an idle one; a host
/// without a record; one that worked before, the one used longest ago; one that failed and is due;
/// one more connection to a host that works. Each step applies only when the earlier steps found no
/// seat.
///
/// **Load balancing.** Deliveries go to the *newest* connection with room, so older ones become
/// idle and are closed when load falls. When load rises, queues reach their depth, and the next
/// delivery opens another connection. Unused hosts are selected at random and closed ones in turn,
/// so a cluster is used evenly without a counter. The number of connections follows the load
/// (FI-35): with service time t and arrivals at rate r about r·t/depth of them are busy.
///
/// **When no connection may be opened** the *overflow rule* selects the connection to wait on:
/// among the active ones, newest first, the first with fewer deliveries than the newest has; with
/// equal queues, the newest. So queue lengths differ by at most one. A big message without a
/// further worker thus shares the connections of others at a small delay for them. (The bound,
/// [PlaceRules.Depth#overflow], is our own: a queued delivery cannot be passed any more.)
///
/// **Two gates before opening**: the destination's window, which limits the connections that open
/// for it or serve it, and the message's share of all workers ([WorkerBudget]). The first that
/// refuses is the reason. A queue place on a connection that already serves the destination needs
/// neither.
///
/// **Hosts that are not known to work** (our own rule). A host that accepts a connection and never
/// replies holds a worker for the five minutes that RFC 5321 permits for its greeting. So such
/// hosts have a share of the workers ([PlaceRules.Unproven]) and one connection each until their
/// first greeting; hosts that failed the last time have a smaller share. When connections are
/// short, the one that has waited longest is evicted. The other workers are reserved for hosts that
/// are known to work.
///
/// **Failures.** A failed host is excluded until it is due. When that leaves no host at a level,
/// the next level follows; after the last, the delivery is deferred without an attempt.
///
/// The question does not change the random generator either: the random number of the next choice
/// is drawn beforehand, so that a query for an operator has no effect. O(hosts + their active
/// connections) per question.
///
/// Source: Tony Finch, *Job placement with a destination database*, steps 0 to 9b (FI-10 to FI-21).
final class Placement {
    private static final String WINDOW_FULL = "the destination's window is full";

    private PlaceRules rules;
    private final WorkerBudget budget;
    private final ConnectionBook book;
    private final IdlePool idle;
    private final DestDb hosts;
    private final RandomGenerator random;
    private final TransportLeases leases;
    private long draw;

    Placement(PlaceRules rules, WorkerBudget budget, ConnectionBook book, IdlePool idle, DestDb hosts,
            RandomGenerator random, TransportLeases leases) {
        this.rules = rules;
        this.leases = leases;
        this.budget = budget;
        this.book = book;
        this.idle = idle;
        this.hosts = hosts;
        this.random = random;
        redraw();
    }

    void change(PlaceRules others) {
        rules = others;
    }

    /// A placement question.
    ///
    /// @param mayOpen the destination's window permits one more connection
    record PlacementQuestion(Owner owner, Candidates where, boolean mayOpen) {}

    /// The placement algorithm.
    Seat find(PlacementQuestion question, long now) {
        List<PassedOver> passedOver = new ArrayList<>(4);
        for (List<Candidate> candidates : question.where().levels()) { // step 0: the primary hosts; 9b: the next level
            Level level = classify(candidates, now, passedOver); // step 1
            if (level.isEmpty()) {
                continue; // step 9b: all failed the retry-time check
            }
            Optional<Connection> roomy = newest(level.working, c -> c.hasRoom() && mayShare(c, question, now));
            if (roomy.isPresent()) {
                return queue(roomy.get(), Seat.Queue.WITH_ROOM, passedOver); // step 2
            }
            if (!question.mayOpen()) { // step 3, the first gate
                return overflow(level, question, Code.WINDOW, WINDOW_FULL, now, passedOver);
            }
            if (!budget.allows(question.owner())) { // step 3, the second
                return overflow(level, question, Code.SHARE, overShare(question.owner()), now, passedOver);
            }
            Optional<Connection> ready = latestIdle(level.working, now);
            if (ready.isPresent()) {
                return new Seat.Reuse(ready.get().number, ready.get().host, passedOver); // step 4
            }
            if (isFull(now)) { // step 5
                return overflow(level, question, Code.CONNECTIONS,
                        "all " + budget.workers() + " connections are busy", now, passedOver);
            }
            boolean full = book.unproven() >= rules.mostUnproven(budget.workers());
            if (!level.unused.isEmpty() && (!full || yielding(now).isPresent())) {
                return open(any(level.unused), "an unused host", full, now, passedOver); // step 6
            }
            if (!level.closed.isEmpty()) {
                return open(oldest(level.closed, now), "the host used longest ago", false, now, passedOver); // step 7
            }
            if (!level.due.isEmpty() && !full && book.unprovenFailed() < rules.mostFailed(budget.workers())) {
                return open(any(level.due), "a broken host that is due", false, now, passedOver); // step 8
            }
            List<Candidate> fewest = fewestConnections(level.working, now, passedOver);
            if (!fewest.isEmpty()) {
                return open(any(fewest), "another connection to a working host", false, now, passedOver); // step 9a
            }
            if (!level.withoutLease.isEmpty()) {
                return overflow(level, question, Code.HOST_LIMIT, leases.words(level.withoutLease.getFirst().host()),
                        now,
                        passedOver);
            }
            if (!level.unused.isEmpty() || !level.due.isEmpty()) {
                return overflow(level, question, level.unused.isEmpty() ? Code.HOST_LIMIT : Code.UNPROVEN,
                        greetingsAwaited(level.unused.isEmpty()), now, passedOver);
            }
            return overflow(level, question, Code.HOST_LIMIT, "no host takes more connections", now, passedOver);
        }
        // Step 9b: the list is exhausted.
        return new Seat.Defer(deferralReply(question.where(), now), suspension(question.where(), now), passedOver);
    }

    private boolean isFull(long now) {
        return book.size() >= budget.workers() && idle.longestIdle().isEmpty() && yielding(now).isEmpty();
    }

    /// The lanes that a delivery lacks which may open a connection and has none: those of the first
    /// gate that refuses.
    List<LackingLane> lacks(PlacementQuestion question, long now) {
        for (List<Candidate> candidates : question.where().levels()) {
            Level level = classify(candidates, now, new ArrayList<>());
            if (!level.isEmpty()) {
                if (!budget.allows(question.owner()) || isFull(now)) {
                    return leases.connections();
                }
                boolean full = book.unproven() >= rules.mostUnproven(budget.workers());
                List<LackingLane> hostLanes = leases.hosts(Stream.concat(
                        level.withoutLease.stream().filter(host -> switch (hosts.mark(host.host(), now)) {
                            case HostState.Closed _ -> true;
                            case HostState.Retry _ ->
                                !full && book.unprovenFailed() < rules.mostFailed(budget.workers());
                            case HostState _ -> !full || yielding(now).isPresent();
                        }),
                        level.working.stream()
                                .filter(host -> book.connections(host.host()) >= leases.perHost(host.host())))
                        .map(Candidate::host));
                return hostLanes.isEmpty() && full ? leases.connections() : hostLanes;
            }
        }
        return List.of();
    }

    // ---- step 1

    /// The hosts of one level by class. The algorithm does not distinguish active from idle hosts.
    ///
    /// @param withoutLease without connections, and this shard may open none
    private record Level(List<Candidate> working, List<Candidate> unused, List<Candidate> closed,
            List<Candidate> due, List<Candidate> withoutLease) {
        boolean isEmpty() {
            return working.isEmpty() && unused.isEmpty() && closed.isEmpty() && due.isEmpty()
                    && withoutLease.isEmpty();
        }
    }

    private Level classify(List<Candidate> candidates, long now, List<PassedOver> passedOver) {
        Level level = new Level(new ArrayList<>(2), new ArrayList<>(2), new ArrayList<>(2), new ArrayList<>(2),
                new ArrayList<>(0));
        for (Candidate candidate : candidates) {
            Optional<HostState.Suspended> suspended = hosts.suspension(candidate.host(), now);
            if (suspended.isPresent()) {
                passedOver.add(new PassedOver(candidate, suspended.get().reason()));
            } else if (book.connections(candidate.host()) > 0) {
                level.working.add(candidate);
            } else {
                switch (hosts.mark(candidate.host(), now)) {
                    case HostState.Retry retry when !retry.isDue(now) ->
                        passedOver.add(new PassedOver(candidate, "not due, " + retry.reason()));
                    case HostState _ when leases.perHost(candidate.host()) == 0 -> level.withoutLease.add(candidate);
                    // Another shard has connections there, and the host refused it one more.
                    case HostState _ when hosts.crowd(candidate.host(), now).isPresent() ->
                        level.working.add(candidate);
                    case HostState.Closed _ -> level.closed.add(candidate);
                    case HostState.Retry _ -> level.due.add(candidate);
                    case HostState.Unused _ -> level.unused.add(candidate);
                    case HostState other -> throw new IllegalStateException("no class of hosts: " + other);
                }
            }
        }
        return level;
    }

    // ---- steps 2 and 4

    private boolean mayShare(Connection connection, PlacementQuestion question, long now) {
        return !connection.isTooOld(now, rules)
                && (question.mayOpen() || connection.serves(question.where().destination()));
    }

    private Optional<Connection> newest(List<Candidate> working, Predicate<Connection> fits) {
        Connection newest = null;
        for (Candidate candidate : working) {
            for (Connection connection : book.active(candidate.host())) {
                if (newest != null && connection.number < newest.number) {
                    break;
                }
                if (fits.test(connection)) {
                    newest = connection;
                    break;
                }
            }
        }
        return Optional.ofNullable(newest);
    }

    private Optional<Connection> latestIdle(List<Candidate> working, long now) {
        return working.stream().map(candidate -> idle.latest(candidate.host(), now)).flatMap(Optional::stream)
                .max(Comparator.comparingLong((Connection c) -> c.idleSinceMillis).thenComparingLong(c -> c.number));
    }

    private static Seat queue(Connection connection, String reason, List<PassedOver> passedOver) {
        return new Seat.Queue(connection.number, connection.host, reason, passedOver);
    }

    // ---- the overflow rule

    private Seat overflow(Level level, PlacementQuestion question, Code gate, String why, long now,
            List<PassedOver> passedOver) {
        Optional<Connection> newest = newest(level.working, c -> mayShare(c, question, now));
        if (newest.isEmpty()) {
            return new Seat.Wait(gate, why, passedOver);
        }
        int queued = newest.get().queued();
        return newest(level.working, c -> c.queued() < queued && takesOverflow(c) && mayShare(c, question, now))
                .or(() -> newest.filter(this::takesOverflow))
                .<Seat>map(connection -> queue(connection, why + "; the shortest queue", passedOver))
                .orElseGet(() -> new Seat.Wait(gate, why + ", and no connection has room in its queue", passedOver));
    }

    boolean takesOverflow(Connection connection) {
        return connection.queued() < (long) connection.depth * rules.depth().overflow();
    }

    // ---- steps 5 to 9a

    /// @param yields it replaces a connection without a greeting
    private Seat open(Candidate host, String reason, boolean yields, long now, List<PassedOver> passedOver) {
        Optional<Connection> closing = Optional.empty();
        if (yields) {
            closing = yielding(now);
        } else if (book.size() >= budget.workers()) {
            closing = idle.longestIdle().or(() -> yielding(now));
        }
        return new Seat.Open(host, closing.map(c -> OptionalLong.of(c.number)).orElse(OptionalLong.empty()), reason,
                passedOver);
    }

    /// The unproven connection that is evicted when connections are short.
    private Optional<Connection> yielding(long now) {
        return book.longestUnproven().filter(c -> yieldsMillis(c) <= now);
    }

    /// The time at which the next connection can be evicted; `Long.MAX_VALUE` for none.
    long nextYieldMillis() {
        return book.longestUnproven().map(this::yieldsMillis).orElse(Long.MAX_VALUE);
    }

    private long yieldsMillis(Connection connection) {
        return connection.openedMillis + rules.unproven().yieldMillis();
    }

    private Candidate any(List<Candidate> hosts) {
        return hosts.get((int) (draw % hosts.size()));
    }

    /// Draws the random number of the next choice.
    void redraw() {
        draw = random.nextLong() >>> 1;
    }

    private Candidate oldest(List<Candidate> closed, long now) {
        return closed.stream()
                .min(Comparator.comparingLong(
                        candidate -> ((HostState.Closed) hosts.mark(candidate.host(), now)).openedMillis()))
                .orElseThrow();
    }

    private List<Candidate> fewestConnections(List<Candidate> working, long now, List<PassedOver> passedOver) {
        List<Candidate> fewest = new ArrayList<>(working.size());
        int least = Integer.MAX_VALUE;
        for (Candidate candidate : working) {
            int connections = book.connections(candidate.host());
            Optional<String> whyNoMore = whyNoMore(candidate, connections, now);
            if (whyNoMore.isPresent()) {
                passedOver.add(new PassedOver(candidate, whyNoMore.get()));
            } else {
                if (connections < least) {
                    fewest.clear();
                    least = connections;
                }
                if (connections == least) {
                    fewest.add(candidate);
                }
            }
        }
        return fewest;
    }

    private Optional<String> whyNoMore(Candidate candidate, int connections, long now) {
        if (connections >= rules.connectionsTo(candidate.host())) {
            return Optional.of("has " + connections + " connections, its limit");
        }
        if (connections >= leases.perHost(candidate.host())) {
            return Optional.of(leases.words(candidate.host()));
        }
        if (connections >= rules.unproven().perHost() && book.up(candidate.host()) == 0
                && !(hosts.mark(candidate.host(), now) instanceof HostState.Closed)) {
            return Optional.of("has not greeted yet");
        }
        Optional<HostState> broken = Optional.of(hosts.mark(candidate.host(), now))
                .filter(mark -> mark instanceof HostState.Retry retry && !retry.isDue(now));
        return broken.or(() -> hosts.crowd(candidate.host(), now)).map(HostState::reason);
    }

    // ---- texts

    private String greetingsAwaited(boolean failed) {
        return failed
                ? "the limit of connections to failed hosts is " + rules.mostFailed(budget.workers())
                : book.unproven()
                        + " connections wait for the greeting of a host that is not known to work; the limit is "
                        + rules.mostUnproven(budget.workers());
    }

    private String overShare(Owner owner) {
        return "the message keeps " + budget.busyFor(owner) + " connections busy, and " + budget.free()
                + " are free";
    }

    /// The suspension that ends first; empty when a host is not suspended.
    private Optional<Seat.Suspension> suspension(Candidates where, long now) {
        Optional<Seat.Suspension> first = Optional.empty();
        for (List<Candidate> level : where.levels()) {
            for (Candidate candidate : level) {
                Optional<HostState.Suspended> suspended = hosts.suspension(candidate.host(), now);
                if (suspended.isEmpty()) {
                    return Optional.empty();
                }
                long until = suspended.get().untilMillis();
                if (first.isEmpty() || until < first.get().untilMillis()) {
                    first = Optional.of(new Seat.Suspension(candidate.host(), until));
                }
            }
        }
        return first;
    }

    /// The reply of deferred deliveries: a temporary failure if any host had one.
    private Reply deferralReply(Candidates where, long now) {
        Reply deferral = null;
        for (List<Candidate> level : where.levels()) {
            for (Candidate candidate : level) {
                Optional<Reply> reply = hosts.suspension(candidate.host(), now)
                        .map(suspended -> Reply.of(450, "4.3.2", candidate.name() + " is " + suspended.reason()))
                        .or(() -> hosts.mark(candidate.host(), now) instanceof HostState.Retry retry
                                ? Optional.of(retry.last())
                                : Optional.empty());
                if (reply.isPresent() && (deferral == null || deferral.isPermanent())) {
                    deferral = reply.get();
                }
            }
        }
        return deferral == null ? Reply.of(451, "4.4.4", "no usable host") : deferral;
    }
}
