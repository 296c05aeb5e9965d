package org.slipstream.qmgr.place;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.HostKey;
import org.slipstream.core.Outcome;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.qmgr.place.Aftermath.Fate;
import org.slipstream.qmgr.place.Aftermath.Trouble;
import org.slipstream.qmgr.place.Connection.Standing;
import org.slipstream.qmgr.place.Placement.Question;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.random.RandomGenerator;

/// The workers: connections with queues, from the first letter to the last.
///
/// The door of this package. Whoever has a load [asks][#ask] where it would go, [seats][#seat] it, passes on what the wire
/// tells ([#happened]) and hears in an [Aftermath] what became of loads. Between the two a load may be moved as often as
/// need be; it comes back once.
///
/// **Life of a connection.** Opened for a load; *up* when the host has greeted; its loads are delivered, several under way at a
/// time when the wire can; without loads it is idle, and then used again, reclaimed, aged or lost. A connection past its
/// age takes nothing more and is closed when it runs dry.
///
/// **Trouble, and whom it concerns.** A connection that fails to open, or breaks before it has answered anything, is
///
/// - the *host's* trouble when no other connection to it is up: the host is marked, its loads go to another host, and the
///   destination's window is untouched. Only when no host is left does it become the *destination's* trouble;
/// - the *window's* trouble when others are up: the host is alive and has enough of us. No more connections to it for a
///   while, one trouble for each destination that waited, and the loads queue on what works.
///
/// A connection that has answered before and goes away is no trouble: servers close after so many messages or minutes. Each of
/// its unanswered loads comes back with news of its own, which says how much of it was sent. What was not sent to its end is
/// reseated at once. What was sent to its end may have arrived (RFC 1047), so it is deferred: reseated at once it would be
/// sent three times within a tenth of a second to a host that takes mail and closes without a reply. Such a loss speaks against
/// the message as much as against the host, so it marks no host. A load that is found at the head of a broken connection
/// [PlaceRules#returns] times is deferred too, or one poisonous message would travel indefinitely and break every connection.
///
/// **Those who lost their seat come first.** They are reseated before anything new is asked for, and their destination is told
/// to wait until they all sit. The first of each destination may open a connection, in place of the one that was lost;
/// so the window is never charged with more than before.
///
/// Numbers of connections count upward and are not used twice: a late word about a connection that is gone is recognised and
/// dropped. Not for several threads.
public final class Workers {
    private static final String HERE = "local";

    private final PlaceRules rules;
    private final WorkerBudget budget;
    private final ConnectionBook book;
    private final IdlePool idle;
    private final DestDb hosts;
    private final Placement placement;

    private final Deque<Homeless> homeless = new ArrayDeque<>();
    private final Map<String, Integer> homelessAt = new LinkedHashMap<>();

    /// Loads that were handed to a connection that broke, until each has come back, by delivery.
    private final Map<Long, Returning> returning = new LinkedHashMap<>();

    /// How often a load was first on a connection that broke, by delivery.
    private final Map<Long, Integer> returns = new LinkedHashMap<>();

    /// Deferred in the moment of being seated; they come back with the next aftermath.
    private final List<Fate> untried = new ArrayList<>();

    private final Refusals refusals = new Refusals();
    private long possibleDuplicates;

    /// Somebody who was refused a seat since the last alarm finds one when a connection that waits for its greeting yields.
    private boolean shortOfPlaces;

    /// A connection has made room, and its loads need another seat at the next alarm, which is now.
    private boolean displaced;

    /// Suspended since the last alarm.
    private final Set<HostKey> suspended = new LinkedHashSet<>();

    // The answer to the last question, as long as nothing has changed.
    private Optional<Remembered> remembered = Optional.empty();

    private record Remembered(Payer payer, Candidates where, long nowMillis, Seat seat) {}

    /// A load without a seat.
    ///
    /// @param charged it may open a connection, in place of one that was lost
    /// @param troubled its host failed; when no other is left that is the destination's trouble
    private record Homeless(Load load, boolean charged, boolean troubled, Reply last, String remote) {}

    private record Returning(long connection, Homeless load) {}

    /// @param random chooses among equal hosts
    public Workers(PlaceRules rules, DestDb hosts, RandomGenerator random) {
        this.rules = rules;
        this.hosts = hosts;
        this.budget = new WorkerBudget(rules.workers(), rules.messages(), rules.verification());
        this.book = new ConnectionBook(budget);
        this.idle = new IdlePool(rules);
        this.placement = new Placement(rules, budget, book, idle, hosts, random);
    }

    // ---- asking and seating

    /// Where would a load of this payer go now? Changes nothing that matters to others. A [Seat.Defer] is a seat, too: who takes it is deferred.
    ///
    /// @param mayOpen the destination's window has room for one more connection
    public Seat ask(Payer payer, Candidates where, boolean mayOpen, long nowMillis) {
        Seat seat = look(payer, where, mayOpen, nowMillis);
        if (seat instanceof Seat.Wait wait) {
            refusals.add(where, wait.scope(),
                    homelessAt.containsKey(where.destination()) || mayEndWithTime(where, nowMillis));
        }
        shortOfPlaces |= isShort(seat);
        remembered = Optional.of(new Remembered(payer, where, nowMillis, seat));
        return seat;
    }

    private boolean mayEndWithTime(Candidates where, long now) {
        return where.levels().stream().flatMap(List::stream).anyMatch(candidate -> hosts.crowd(candidate.host(), now)
                .isPresent() || hosts.suspension(candidate.host(), now).isPresent()
                || hosts.mark(candidate.host(), now) instanceof HostState.Retry);
    }

    /// The same for those who only look. Changes nothing.
    public Seat look(Payer payer, Candidates where, boolean mayOpen, long nowMillis) {
        return homelessAt.containsKey(where.destination())
                ? new Seat.Wait(Seat.Scope.HERE, "others lost their seat and come first", List.of())
                : placement.find(new Question(payer, where, mayOpen), nowMillis);
    }

    /// Seats a load. Only directly after [#ask] said something other than [Seat.Wait] for it.
    public void seat(Load load, long nowMillis, PlaceOrders orders) {
        Remembered asked = remembered.orElseThrow(() -> new IllegalStateException("nobody asked for " + load));
        if (!asked.payer().equals(load.payer()) || !asked.where().equals(load.where())
                || asked.nowMillis() != nowMillis) {
            throw new IllegalStateException("asked for " + asked + " and seated " + load);
        }
        if (asked.seat() instanceof Seat.Defer defer) {
            untried.add(untried(load, defer));
        } else {
            starts(asked.seat(), nowMillis);
            refusals.remove(load.where());
            take(asked.seat(), load, nowMillis, orders);
        }
        remembered = Optional.empty();
    }

    private void starts(Seat seat, long now) {
        HostKey host = switch (seat) {
            case Seat.Queue queue -> queue.host().host();
            case Seat.Reuse reuse -> reuse.host().host();
            case Seat.Open open -> open.host().host();
            case Seat.Wait _,Seat.Defer _ -> throw new IllegalStateException("no seat: " + seat);
        };
        idle.starts(host, book.connections(host) == idle.size(host), now);
    }

    private void take(Seat seat, Load load, long now, PlaceOrders orders) {
        switch (seat) {
            case Seat.Queue queue -> assign(connection(queue.connection()), load, orders);
            case Seat.Reuse reuse -> {
                Connection connection = connection(reuse.connection());
                idle.remove(connection);
                assign(connection, load, orders);
            }
            case Seat.Open open -> {
                open.closing().ifPresent(number -> makeRoom(connection(number), now, orders));
                HostKey host = open.host().host();
                int depth = hosts.habit(host, now).isPresent() ? 1 : rules.backlog();
                Connection connection = book.open(open.host(), load, standing(host, now), depth, now);
                orders.open(connection.number, open.host(), load);
                placement.drawLot();
            }
            case Seat.Wait _,Seat.Defer _ -> throw new IllegalStateException("no seat: " + seat);
        }
    }

    private Standing standing(HostKey host, long now) {
        return switch (hosts.mark(host, now)) {
            case HostState.Closed _ -> Standing.PROVEN;
            case HostState.Retry _ -> Standing.FAILED;
            case HostState _ -> book.up(host) > 0 ? Standing.PROVEN : Standing.UNKNOWN;
        };
    }

    private void assign(Connection connection, Load load, PlaceOrders orders) {
        book.assign(connection, load);
        if (connection.up) {
            orders.deliver(connection.number, load);
        }
    }

    /// The host that is left alone on an operator's word stands as the remote, so that whoever looks at the message finds out until when.
    private static Fate untried(Load load, Seat.Defer defer) {
        String remote = defer.suspension().map(suspension -> suspension.host().toString()).orElse(HERE);
        return new Fate.Untried(load.delivery(), load.all(new Outcome.Deferred(suspended(defer.last()), remote)),
                defer.suspension().map(Seat.Suspension::resumesMillis).orElse(OptionalLong.empty()));
    }

    /// A reply of ours for those who are not tried, from what others got to hear.
    private static Reply suspended(Reply last) {
        return new Reply(last.isTransient() ? last.code() : 450,
                last.status().filter(_ -> last.isTransient()).or(() -> EnhancedStatus.parse("4.4.1")),
                List.of("no host is due for another attempt: " + last.text()));
    }

    // ---- news

    public Aftermath happened(ConnectionNews news, long nowMillis, PlaceOrders orders) {
        remembered = Optional.empty();
        hosts.collect(nowMillis);
        Report report = new Report();
        Optional<Connection> known = book.find(news.connection());
        if (known.isPresent()) {
            happened(known.get(), news, nowMillis, orders, report);
        } else if (!book.hasIssued(news.connection())) {
            throw new ImpossibleNewsException("no such connection: " + news);
        } else {
            comesBack(news, report);
        }
        if (news instanceof ConnectionNews.Returned returned && returned.mayHaveArrived()) {
            possibleDuplicates++;
        }
        reseat(nowMillis, orders, report);
        return report.aftermath();
    }

    private void happened(Connection connection, ConnectionNews news, long now, PlaceOrders orders, Report report) {
        if (!(news instanceof ConnectionNews.Ready) || awaitsGreetings(connection)) {
            report.touched.add(connection.host.host());
        }
        switch (news) {
            case ConnectionNews.Ready _ -> ready(connection, orders);
            case ConnectionNews.Failed failed -> failed(connection, failed, now, report);
            case ConnectionNews.Answered answered -> answered(connection, answered, now, orders, report);
            case ConnectionNews.Returned returned -> returned(connection, returned, now, report);
            case ConnectionNews.Lost lost ->
                broken(connection, Reply.of(450, "4.4.2", "connection lost: " + printable(lost.reason())), HERE,
                        connection.answered == 0, OptionalLong.empty(), now, report);
            case ConnectionNews.Depth depth ->
                connection.depth = hosts.habit(connection.host.host(), now).isPresent()
                        ? 1
                        : Math.clamp(depth.deliveries(), 1, rules.mostBacklog());
            case ConnectionNews.PipelinesBadly bad -> {
                hosts.breaksUnderPipelining(connection.host, printable(bad.what()), now);
                connection.depth = 1;
            }
        }
    }

    // Further connections to this host wait for its first greeting. To all others a greeting brings no seat.
    private boolean awaitsGreetings(Connection connection) {
        return connection.isUnproven() && rules.unproven().perHost() < Integer.MAX_VALUE;
    }

    private void ready(Connection connection, PlaceOrders orders) {
        if (connection.up) {
            throw new ImpossibleNewsException("ready twice: " + connection);
        }
        book.isUp(connection);
        hosts.works(connection.host.host());
        connection.loads().forEach(load -> orders.deliver(connection.number, load));
    }

    private void failed(Connection connection, ConnectionNews.Failed failed, long now, Report report) {
        if (connection.up) {
            throw new ImpossibleNewsException(failed + ", but it was up: " + connection);
        }
        if (failed.ours()) {
            List<Load> loads = book.remove(connection);
            loads.forEach(load -> report.fate(load, new Fate.Untried(load.delivery(),
                    load.all(new Outcome.Deferred(suspended(failed.reason()), failed.remote())))));
        } else {
            broken(connection, failed.reason(), failed.remote(), true, failed.retryAfterMillis(), now, report);
        }
    }

    private void answered(Connection connection, ConnectionNews.Answered answered, long now, PlaceOrders orders,
            Report report) {
        Optional<Load> load = find(connection, answered.delivery());
        if (load.isEmpty()) {
            throw new ImpossibleNewsException(answered + " does not sit on " + connection);
        }
        if (isHostsFault(answered)) {
            RecipientOutcome first = answered.outcomes().getFirst();
            returned(connection, new ConnectionNews.Returned(answered.connection(), answered.delivery(),
                    first.outcome().reply(), first.outcome().remote(), false), now, report);
            return;
        }
        book.take(connection, answered.delivery());
        connection.answered++;
        idle.done(connection.host.host(), now);
        returns.remove(answered.delivery());
        report.fate(load.get(), new Fate.Worked(answered.delivery(), answered.outcomes(),
                !connection.serves(load.get().destination())));
        if (!answered.usable()) {
            broken(connection, Reply.of(450, "4.4.2", "the connection ended"), HERE, false, OptionalLong.empty(), now,
                    report);
        } else if (connection.isIdle() && !idle.add(connection, now)) {
            close(connection, now, orders);
        }
    }

    private static boolean isHostsFault(ConnectionNews.Answered answered) {
        return answered.siteTrouble()
                && answered.outcomes().stream().noneMatch(each -> each.outcome() instanceof Outcome.Delivered);
    }

    private void returned(Connection connection, ConnectionNews.Returned returned, long now, Report report) {
        Load load = find(connection, returned.delivery())
                .orElseThrow(() -> new ImpossibleNewsException(returned + " does not sit on " + connection));
        boolean blamesHost = connection.answered == 0 && !returned.mayHaveArrived();
        if (returned.mayHaveArrived() || isFirstTooOften(connection, load)) {
            Reply reason = returned.mayHaveArrived() ? returned.reason() : suspended(returned.reason());
            report.fate(load,
                    new Fate.Troubled(load.delivery(), load.all(new Outcome.Deferred(reason, returned.remote())),
                            reason, book.up(connection.host.host()) <= 1));
            book.take(connection, load.delivery());
        }
        broken(connection, returned.reason(), returned.remote(), blamesHost, OptionalLong.empty(), now, report);
        comesBack(returned, report);
    }

    private static Optional<Load> find(Connection connection, long delivery) {
        return connection.loads().stream().filter(load -> load.delivery() == delivery).findFirst();
    }

    private boolean isFirstTooOften(Connection connection, Load load) {
        return connection.head().orElseThrow() == load
                && returns.merge(load.delivery(), 1, Integer::sum) >= rules.returns();
    }

    /// A load of a connection that is gone. The trouble of that connection has been told, so this teaches nothing.
    private void comesBack(ConnectionNews news, Report report) {
        switch (news) {
            case ConnectionNews.Returned(long connection, long delivery, Reply reason, String remote, boolean arrived) ->
                take(connection, delivery).ifPresent(one -> {
                    if (arrived) {
                        hasSeat(one.load());
                        report.fate(one.load(), new Fate.Untried(delivery,
                                one.load().all(new Outcome.Deferred(reason, remote))));
                    } else {
                        homeless.add(one);
                    }
                });
            case ConnectionNews.Answered answered ->
                take(answered.connection(), answered.delivery()).ifPresent(one -> {
                    if (isHostsFault(answered)) {
                        homeless.add(one);
                    } else {
                        hasSeat(one.load());
                        report.fate(one.load(), new Fate.Worked(answered.delivery(), answered.outcomes(), false));
                    }
                });
            case ConnectionNews.Ready _,ConnectionNews.Failed _,ConnectionNews.Lost _,ConnectionNews.Depth _,ConnectionNews.PipelinesBadly _ -> {
                // Crossed the end of the connection.
            }
        }
    }

    private Optional<Homeless> take(long connection, long delivery) {
        Returning one = returning.get(delivery);
        if (one == null || one.connection() != connection) {
            return Optional.empty();
        }
        returning.remove(delivery);
        return Optional.of(one.load());
    }

    // ---- the end of a connection

    /// It is gone without our doing. Loads that were handed to it come back one by one; the others are reseated now.
    private void broken(Connection connection, Reply reason, String remote, boolean blamesHost, OptionalLong hint,
            long now, Report report) {
        idle.remove(connection);
        List<String> destinations = connection.destinations();
        List<Load> loads = book.remove(connection);
        boolean othersUp = book.up(connection.host.host()) > 0;
        if (!blamesHost) {
            closedIfLast(connection, now);
        } else if (othersUp) {
            hosts.refusedMore(connection.host, reason, now);
            for (String destination : destinations) {
                loads.stream().filter(load -> load.destination().equals(destination)).findFirst()
                        .ifPresent(load -> report.troubles.add(new Trouble(load.delivery(), destination, reason)));
            }
        } else {
            hosts.broken(connection.host, reason, hint, now);
        }
        Set<String> charged = new LinkedHashSet<>(2);
        for (Load load : loads) {
            makeHomeless(connection,
                    new Homeless(load, charged.add(load.destination()), blamesHost && !othersUp, reason, remote));
        }
    }

    /// Another host needs its place.
    private void makeRoom(Connection connection, long now, PlaceOrders orders) {
        if (connection.isIdle()) {
            close(connection, now, orders);
            return;
        }
        Reply reason = Reply.of(450, "4.4.2", connection.host.name() + " has not greeted for "
                + (now - connection.openedMillis) / 1_000 + " s, and connections are short");
        orders.close(connection.number);
        displaced = true;
        broken(connection, reason, connection.host.name(), true, OptionalLong.empty(), now, new Report());
    }

    private void close(Connection connection, long now, PlaceOrders orders) {
        idle.remove(connection);
        book.remove(connection);
        closedIfLast(connection, now);
        orders.close(connection.number);
    }

    private void closedIfLast(Connection connection, long now) {
        if (book.connections(connection.host.host()) == 0) {
            idle.forget(connection.host.host());
            if (connection.up) {
                hosts.closed(connection.host, connection.openedMillis, now);
            }
        }
    }

    // ---- those who lost their seat

    private void makeHomeless(Connection connection, Homeless one) {
        if (connection.up) {
            returning.put(one.load().delivery(), new Returning(connection.number, one));
        } else {
            homeless.add(one);
        }
        homelessAt.merge(one.load().destination(), 1, Integer::sum);
    }

    private void hasSeat(Load load) {
        homelessAt.compute(load.destination(), (_, n) -> n == 1 ? null : n - 1);
    }

    private static boolean isShort(Seat seat) {
        return seat instanceof Seat.Wait wait && (wait.scope() == Seat.Scope.UNPROVEN
                || wait.scope() == Seat.Scope.EVERYWHERE);
    }

    private void reseat(long now, PlaceOrders orders, Report report) {
        displaced = false;
        for (int left = homeless.size(); left > 0; left--) {
            Homeless one = homeless.remove();
            Load load = one.load();
            boolean mayOpen = one.charged() || book.serving(load.destination()) == 0;
            switch (placement.find(new Question(load.payer(), load.where(), mayOpen), now)) {
                case Seat.Wait wait -> {
                    shortOfPlaces |= isShort(wait);
                    homeless.add(one);
                    continue;
                }
                case Seat.Defer defer -> report.fate(load, exhausted(one, defer));
                case Seat seat -> take(seat, load, now, orders);
            }
            hasSeat(load);
        }
    }

    private Fate exhausted(Homeless one, Seat.Defer defer) {
        Load load = one.load();
        if (!one.troubled()) {
            return untried(load, defer);
        }
        Reply last = defer.last();
        // The host that was just tried has the word, unless it said never and another one did not.
        Reply word = one.last().isPermanent() ? last : one.last();
        String remote = word == one.last() ? one.remote() : HERE;
        return new Fate.Troubled(load.delivery(), load.all(Outcome.of(word, remote)), word, isCutOff(load.where()));
    }

    private boolean isCutOff(Candidates where) {
        return where.levels().stream().flatMap(List::stream).allMatch(candidate -> book.up(candidate.host()) == 0);
    }

    // ---- time

    /// Time has passed: what is too old is closed, and what was deferred in the moment of being seated comes back.
    public Aftermath alarm(long nowMillis, PlaceOrders orders) {
        remembered = Optional.empty();
        shortOfPlaces = false;
        hosts.collect(nowMillis);
        Report report = new Report();
        closeIdleOfSuspended(nowMillis, orders);
        for (var due = idle.expired(nowMillis); due.isPresent(); due = idle.expired(nowMillis)) {
            // A connection that could have been used again was in nobody's way.
            if (due.get().isTooOld(nowMillis, rules)) {
                report.touched.add(due.get().host.host());
            }
            close(due.get(), nowMillis, orders);
        }
        reseat(nowMillis, orders, report);
        return report.aftermath();
    }

    /// When [#alarm] wants to be called next; in the past for at once, `Long.MAX_VALUE` when nothing is planned.
    public long nextAlarmMillis() {
        if (!untried.isEmpty() || !suspended.isEmpty() || displaced) {
            return 0;
        }
        return shortOfPlaces ? Math.min(idle.nextMillis(), placement.nextYieldMillis()) : idle.nextMillis();
    }

    // ---- operators

    /// Leaves a host alone. What is under way there is finished; what is idle is closed with the next alarm.
    public void suspend(HostKey host, String why, String author, long untilMillis, long nowMillis) {
        hosts.suspend(host, printable(why), printable(author), untilMillis, nowMillis);
        suspended.add(host);
    }

    private void closeIdleOfSuspended(long now, PlaceOrders orders) {
        if (!suspended.isEmpty()) {
            List<Connection> idleThere = book.all().stream()
                    .filter(connection -> suspended.contains(connection.host.host()) && connection.isIdle()).toList();
            idleThere.forEach(connection -> close(connection, now, orders));
            suspended.clear();
        }
    }

    /// The database: to list, export and learn records, to forget a host and to resume a suspended one.
    public DestDb hosts() {
        return hosts;
    }

    /// More than one delivery may be under way on a connection.
    public boolean carriesSeveral() {
        return rules.mostBacklog() > 1 || rules.overflow() > 1;
    }

    /// Connections that open for this destination or serve it: what its window is charged with.
    public int serving(String destination) {
        return book.serving(destination);
    }

    /// Connections that are at work for this payer.
    public int busyFor(Payer payer) {
        return budget.busyFor(payer);
    }

    /// Connections to the hosts of this destination, opening, busy or idle, whomever they serve.
    public int connections(Candidates where) {
        return where.levels().stream().flatMap(List::stream).mapToInt(candidate -> book.connections(candidate.host()))
                .sum();
    }

    /// All connections with what sits on them, first to last. Loads that have lost their seat are on none.
    public List<Occupied> occupied() {
        return book.all().stream().map(connection -> new Occupied(connection.number, connection.host, connection.up,
                connection.loads().stream().map(Load::delivery).toList())).toList();
    }

    /// @param up the host has greeted
    /// @param deliveries unanswered, in their order
    public record Occupied(long connection, Candidate host, boolean up, List<Long> deliveries) {}

    /// Cheaper than a [#snapshot].
    public PlaceSnapshot.Figures figures() {
        return new PlaceSnapshot.Figures(budget.workers(), book.size(), book.opening(), book.unproven(),
                rules.mostUnproven());
    }

    public PlaceSnapshot snapshot(long nowMillis) {
        return PlaceSnapshot.of(book, idle, hosts, budget, figures(),
                new PlaceSnapshot.Counts(book.opened(), possibleDuplicates, homeless.size() + returning.size()),
                nowMillis);
    }

    private Connection connection(long number) {
        return book.find(number).orElseThrow(() -> new IllegalStateException("no such connection: " + number));
    }

    private static String printable(String text) {
        return text.replace('\r', ' ').replace('\n', ' ');
    }

    /// An aftermath in the making.
    private final class Report {
        final List<Fate> fates = new ArrayList<>();
        final List<Trouble> troubles = new ArrayList<>();

        /// Hosts where something has changed.
        final Set<HostKey> touched = new LinkedHashSet<>(2);

        /// Destinations that hear of it by their own loads.
        final Set<String> returned = new LinkedHashSet<>(2);

        void fate(Load load, Fate fate) {
            returned.add(load.destination());
            returns.remove(fate.delivery());
            fates.add(fate);
        }

        Aftermath aftermath() {
            untried.forEach(each -> {
                returns.remove(each.delivery());
                fates.add(each);
            });
            untried.clear();
            boolean seats = refusals.concerns(touched, returned);
            if (seats) {
                refusals.clear();
            }
            return new Aftermath(fates, troubles, seats);
        }
    }
}
