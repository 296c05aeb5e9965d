package org.slipstream.qmgr.place;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.DeliveryResult;
import org.slipstream.core.HostKey;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.QueuePhase.Code;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.QmgrTrace;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.place.WorkerBudget.Shares;
import org.slipstream.qmgr.sched.DestinationQueue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The whole queue manager: who, how many and where. The test simulates the environment.
class SeatingTest {
    private static final Reply REFUSED = Reply.of(450, "4.4.1", "connection refused");

    private final List<QmgrOrder> orders = new ArrayList<>();
    private final List<HostRow.Change> remembered = new ArrayList<>();
    private final List<String> windows = new ArrayList<>();
    private final Map<QueueId, List<Recipient>> mail = new LinkedHashMap<>();
    private Map<String, Route> routes = new LinkedHashMap<>();
    private QueueManager brain;
    private Seating seating;
    private long now = 1_000_000;

    @BeforeEach
    void start() {
        start(PlaceRules.defaults());
    }

    private void start(PlaceRules rules) {
        QmgrConfig config = QmgrConfig.defaults();
        seating = new Seating(transport -> transport.equals("smtp") ? rules : config.plainRules(transport),
                new DestDb(rules.memory()), HostKeys.BY_NAME, remembered::addAll, new Random(1));
        brain = new QueueManager(config, seating, new Random(1), new QmgrTrace() {
            @Override
            public void feedback(DestinationQueue line, FeedbackEvent event, int running,
                    Destination.FlowFigures figures) {
                windows.add(event + " " + figures.window());
            }
        });
        orders.clear();
        happens(new QmgrEvent.Alarm());
    }

    /// All orders except those for connections and deliveries are answered at once.
    private void happens(QmgrEvent event) {
        List<QmgrOrder> fresh = new ArrayList<>();
        brain.step(event, now, fresh::add);
        orders.addAll(fresh);
        for (QmgrOrder order : fresh) {
            switch (order) {
                case QmgrOrder.ReadRecipients read ->
                    happens(new QmgrEvent.RecipientsRead(read.id(), mail.get(read.id()), true));
                case QmgrOrder.FindRoute find ->
                    happens(new QmgrEvent.RouteKnown(find.domain(), routes.get(find.domain())));
                case QmgrOrder.RecordOutcome record ->
                    happens(new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
                case QmgrOrder.Defer defer -> happens(new QmgrEvent.Filed(Optional.of(defer.id())));
                case QmgrOrder.Remove remove -> happens(new QmgrEvent.Filed(Optional.of(remove.id())));
                case QmgrOrder.Notify notify -> happens(new QmgrEvent.Notified(notify.id(), notify.kind(), true));
                case QmgrOrder.Scan _ ->
                    happens(new QmgrEvent.ScanDone(List.of(), false, OptionalLong.empty()));
                case QmgrOrder.Open _,QmgrOrder.Deliver _,QmgrOrder.Close _,QmgrOrder.SetHold _,QmgrOrder.MakeDue _,QmgrOrder.Answered _,QmgrOrder.Verified _ -> {
                    // The test answers.
                }
            }
        }
    }

    private void alarm(long millis) {
        now = Math.max(now, millis);
        happens(new QmgrEvent.Alarm());
    }

    private QueueId queue(String... recipients) {
        QueueId id = new QueueId(mail.size() + 1);
        mail.put(id, IntStream.range(0, recipients.length)
                .mapToObj(i -> new Recipient(i + 1, Address.of(recipients[i]))).toList());
        happens(new QmgrEvent.MessageQueued(
                new MessageSummary(id, Optional.of(Address.of("s@here.example")), now, 1_000,
                        recipients.length, recipients.length, 0, 0, false, false)));
        return id;
    }

    private void route(String domain, String... hostsByPreference) {
        List<Route.Host> hosts = IntStream.range(0, hostsByPreference.length).boxed()
                .flatMap(i -> Stream.of(hostsByPreference[i].split(",")).map(name -> new Route.Host(name, 25, i)))
                .toList();
        routes.put(domain, new Route.Smtp(domain, hosts));
    }

    private <T extends QmgrOrder> List<T> ordered(Class<T> kind) {
        return orders.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private QmgrOrder.Open lastOpen() {
        return ordered(QmgrOrder.Open.class).getLast();
    }

    private String why(QueueId id) {
        return brain.snapshot(now).messages().stream().filter(m -> m.id().equals(id)).findFirst().orElseThrow().why();
    }

    private void done(QmgrOrder.Deliver deliver) {
        Outcome ok = new Outcome.Delivered(Reply.of(250, "2.0.0", "ok"), "mx");
        happens(new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(deliver.delivery().number(),
                deliver.connection(), deliver.delivery().all(ok), true)));
    }

    private void unanswered(QmgrOrder.Deliver deliver, boolean mayHaveArrived) {
        happens(new QmgrEvent.DeliveryDone(new DeliveryResult.Unanswered(deliver.delivery().number(),
                deliver.connection(), REFUSED, "mx", mayHaveArrived)));
    }

    private void refuse(QmgrOrder.Open open) {
        happens(new QmgrEvent.ConnectionFailed(open.connection(), REFUSED, "mx"));
    }

    /// Ten messages for a destination whose hosts all refuse: the cohorts kill it.
    private void dies(String domain) {
        int before = ordered(QmgrOrder.Open.class).size();
        for (int i = 0; i < 10; i++) {
            queue("a@" + domain);
        }
        for (int i = before; i < ordered(QmgrOrder.Open.class).size(); i++) {
            refuse(ordered(QmgrOrder.Open.class).get(i));
        }
    }

    /// Answers connections and deliveries, in order, until there are no more.
    private void work() {
        for (int i = 0; i < orders.size(); i++) {
            switch (orders.get(i)) {
                case QmgrOrder.Open open -> happens(new QmgrEvent.ConnectionReady(open.connection()));
                case QmgrOrder.Deliver deliver -> done(deliver);
                case QmgrOrder _ -> {
                    // Answered, or not to be answered.
                }
            }
        }
    }

    private void work(List<QmgrOrder.Deliver> deliveries) {
        deliveries.forEach(this::done);
    }

    @Test
    void anOpenNamesTheOneHostThatWasChosen() {
        route("far.example", "mx1.far.example", "mx2.far.example");
        queue("a@far.example");
        assertThat(lastOpen().route()).isEqualTo(
                new Route.Smtp("far.example", List.of(new Route.Host("mx1.far.example", 25, 0))));
    }

    @Test
    void aMailboxAndARemoteHostHaveConnectionsWithDifferentNumbers() {
        route("far.example", "mx.far.example");
        routes.put("here.example", new Route.Local("here.example"));
        queue("a@far.example", "b@here.example");
        List<QmgrOrder.Open> opens = ordered(QmgrOrder.Open.class);
        assertThat(opens).hasSize(2);
        for (QmgrOrder.Open open : opens) {
            happens(new QmgrEvent.ConnectionReady(open.connection()));
        }
        ordered(QmgrOrder.Deliver.class).forEach(this::done);
        assertThat(opens.get(0).connection()).isNotEqualTo(opens.get(1).connection());
        assertThat(ordered(QmgrOrder.Remove.class)).hasSize(1);
    }

    @Test
    @Tag("FI-34")
    void fi34SeveralMessagesAreOnTheirWayOverOneConnection() {
        route("far.example", "mx.far.example");
        queue("a@far.example");
        long connection = lastOpen().connection();
        happens(new QmgrEvent.ConnectionReady(connection));
        happens(new QmgrEvent.ConnectionDepth(connection, 10));
        for (int i = 0; i < 9; i++) {
            queue("a@far.example");
        }
        assertThat(ordered(QmgrOrder.Open.class)).hasSize(1);
        assertThat(ordered(QmgrOrder.Deliver.class)).hasSize(10);
    }

    @Test
    void theWindowLimitsConnectionsAndNotMessages() {
        route("far.example", "mx.far.example");
        for (int i = 0; i < 100; i++) {
            queue("a@far.example");
        }
        assertThat(ordered(QmgrOrder.Open.class)).as("before the host has greeted").hasSize(1);
        happens(new QmgrEvent.ConnectionReady(lastOpen().connection()));
        orders.remove(ordered(QmgrOrder.Open.class).getFirst());
        assertThat(ordered(QmgrOrder.Open.class)).as("the others of the initial concurrency").hasSize(4);
        assertThat(why(new QueueId(100))).startsWith("waits for a connection to smtp/far.example: 5 of 5 at work, ")
                .endsWith(" deliveries before it");
        work();
        assertThat(ordered(QmgrOrder.Remove.class)).hasSize(100);
    }

    /// An operator's report: ten messages were "delivering" on five connections to a host that sent
    /// no reply.
    @Test
    void ofTwoMessagesOnASilentConnectionOneIsAheadOfTheOtherAndLookingChangesNothing() {
        route("far.example", "mx.far.example");
        for (int i = 0; i < 30; i++) {
            queue("a@far.example");
        }
        List<QmgrOrder> before = List.copyOf(orders);
        Map<Code, Long> phases = brain.snapshot(now).messages().stream()
                .collect(Collectors.groupingBy(m -> m.phase().code(), Collectors.counting()));
        assertThat(phases.get(Code.CONNECTING)).as("one connection until it has greeted").isEqualTo(1);
        assertThat(phases.get(Code.AHEAD)).isPositive();
        assertThat(phases.get(Code.HOST_LIMIT)).isPositive();
        assertThat(brain.about(new QueueId(1), now).orElseThrow().seat()).hasValueSatisfying(
                seat -> assertThat(seat.connection()).isEqualTo(ordered(QmgrOrder.Open.class).getFirst().connection()));
        alarm(now);
        assertThat(orders).isEqualTo(before);
    }

    @Test
    void oneDeadHostOfTwoGivesTheDestinationNoFeedback() {
        route("far.example", "mx1.far.example", "mx2.far.example");
        for (int i = 0; i < 20; i++) {
            queue("a@far.example");
        }
        refuse(lastOpen());
        happens(new QmgrEvent.ConnectionReady(lastOpen().connection()));
        List<QmgrOrder.Open> toSecond = ordered(QmgrOrder.Open.class).stream()
                .filter(open -> ((Route.Smtp) open.route()).hosts().getFirst().name().equals("mx2.far.example"))
                .toList();
        assertThat(toSecond).as("the same concurrency, elsewhere").hasSize(5);
        assertThat(ordered(QmgrOrder.RecordOutcome.class)).isEmpty();
        assertThat(remembered).hasSize(1).allSatisfy(change -> assertThat(change)
                .isInstanceOfSatisfying(HostRow.Change.Put.class,
                        put -> assertThat(put.row().name()).isEqualTo("mx1.far.example")));
    }

    @Test
    void aWorkingHostThatTurnsAwayASecondConnectionShrinksTheWindowOnceAndLosesNoMessage() {
        start(PlaceRules.defaults().with(new PlaceRules.Depth(2, 50, 2)));
        route("far.example", "mx.far.example");
        queue("a@far.example");
        happens(new QmgrEvent.ConnectionReady(lastOpen().connection()));
        for (int i = 0; i < 3; i++) {
            queue("a@far.example");
        }
        List<QmgrOrder.Open> opens = ordered(QmgrOrder.Open.class);
        assertThat(opens).hasSize(2);
        refuse(opens.getLast());
        assertThat(windows).containsExactly("NEW 5", "FAIL 4");
        assertThat(ordered(QmgrOrder.Deliver.class)).as("all ride on the one that works").hasSize(4)
                .allSatisfy(d -> assertThat(d.connection()).isEqualTo(opens.getFirst().connection()));
        work(ordered(QmgrOrder.Deliver.class));
        assertThat(ordered(QmgrOrder.Remove.class)).hasSize(4);
        assertThat(ordered(QmgrOrder.Open.class)).hasSize(2);
    }

    @Test
    @Tag("PF-04")
    @Tag("PF-10")
    void eachAttemptIsOneFeedbackAndWhatIsLeftIsSuspendedWhenTheCohortsSayDead() {
        route("far.example", "mx.far.example");
        dies("far.example");
        int attempts = ordered(QmgrOrder.Open.class).size();
        assertThat(attempts).isBetween(2, 9);
        assertThat(windows).filteredOn(line -> line.startsWith("FAIL")).hasSize(attempts).last().asString()
                .startsWith("FAIL_DEAD");
        assertThat(ordered(QmgrOrder.Defer.class)).hasSize(10);
        List<String> replies = ordered(QmgrOrder.RecordOutcome.class).stream()
                .map(record -> record.outcomes().getFirst().outcome().reply().text()).toList();
        assertThat(replies).filteredOn("connection refused"::equals).hasSize(attempts);
        assertThat(replies).filteredOn("delivery temporarily suspended: connection refused"::equals)
                .hasSize(10 - attempts);
        assertThat(remembered).as("the host is marked once, with the end of the destination").hasSize(1);
    }

    @Test
    void aFailureThatDoesNotKillTheDestinationLeavesItsHostUnmarked() {
        route("far.example", "mx.far.example");
        queue("a@far.example");
        refuse(lastOpen());
        assertThat(remembered).isEmpty();
        queue("b@far.example");
        assertThat(ordered(QmgrOrder.Open.class)).hasSize(2);
    }

    @Test
    @Tag("FI-21")
    void fi21WhenNoHostIsLeftTheMessageIsDeferredAndTheNextOneIsNotEvenTried() {
        route("far.example", "mx.far.example");
        route("other.example", "mx.far.example");
        dies("far.example");
        int opened = ordered(QmgrOrder.Open.class).size();
        for (String recipient : List.of("b@far.example", "b@other.example")) {
            QueueId next = queue(recipient);
            alarm(now);
            assertThat(ordered(QmgrOrder.Open.class)).as(recipient).hasSize(opened);
            assertThat(ordered(QmgrOrder.Defer.class).getLast().id()).isEqualTo(next);
            assertThat(ordered(QmgrOrder.RecordOutcome.class).getLast()).satisfies(record -> {
                assertThat(record.attempt()).isFalse();
                assertThat(record.outcomes().getFirst().outcome().reply().text())
                        .isEqualTo("delivery temporarily suspended: connection refused");
            });
        }
    }

    @Test
    @Tag("PF-16")
    void aFailureOfOurOwnPausesTheTransportAndTeachesNothingAboutTheDestination() {
        route("far.example", "mx.far.example");
        route("other.example", "mx.other.example");
        for (int i = 0; i < 10; i++) {
            queue("a@far.example");
        }
        happens(new QmgrEvent.ConnectionFailed(lastOpen().connection(), Reply.of(451, "4.3.0", "no sockets"), "local",
                true, OptionalLong.empty()));
        int opened = ordered(QmgrOrder.Open.class).size();
        assertThat(opened).isEqualTo(1);
        assertThat(ordered(QmgrOrder.Defer.class)).hasSize(10);
        assertThat(windows).noneMatch(line -> line.startsWith("FAIL") || line.startsWith("OK"));
        assertThat(remembered).isEmpty();
        queue("a@other.example");
        assertThat(ordered(QmgrOrder.Open.class)).as("nor to another destination").hasSize(opened);
        alarm(now + QmgrConfig.defaults().transportRetryMillis());
        queue("b@other.example");
        assertThat(ordered(QmgrOrder.Open.class)).hasSize(opened + 1);
    }

    @Test
    void aMessageThatLostItsConnectionMovesOnAndIsNeverSelectedAgain() {
        route("far.example", "mx.far.example");
        queue("before@far.example");
        long first = lastOpen().connection();
        work();
        QueueId id = queue("a@far.example");
        QmgrOrder.Deliver lost = ordered(QmgrOrder.Deliver.class).getLast();
        unanswered(lost, false);
        happens(new QmgrEvent.ConnectionReady(lastOpen().connection()));
        QmgrOrder.Deliver again = ordered(QmgrOrder.Deliver.class).getLast();
        assertThat(again.delivery()).as("the same, and it has the same number").isEqualTo(lost.delivery());
        assertThat(again.connection()).isNotEqualTo(first);
        done(again);
        assertThat(ordered(QmgrOrder.Remove.class)).hasSize(2).last()
                .satisfies(remove -> assertThat(remove.id()).isEqualTo(id));
    }

    @Test
    void aMessageThatMayHaveArrivedIsDeferredAndNotTriedAtAnotherHostOfTheSameDestination() {
        route("far.example", "mx1.far.example", "mx2.far.example");
        QueueId id = queue("a@far.example");
        happens(new QmgrEvent.ConnectionReady(lastOpen().connection()));
        QmgrOrder.Deliver lost = ordered(QmgrOrder.Deliver.class).getLast();
        unanswered(lost, true);
        assertThat(ordered(QmgrOrder.Open.class)).hasSize(1);
        assertThat(ordered(QmgrOrder.Deliver.class)).hasSize(1);
        assertThat(ordered(QmgrOrder.Defer.class)).singleElement()
                .satisfies(defer -> assertThat(defer.id()).isEqualTo(id));
        assertThat(seating.snapshot("smtp", now).counts().possibleDuplicates()).isEqualTo(1);
    }

    @Test
    @Tag("FI-13")
    void fi13AListThatHasItsShareDelaysNoOtherMessageEvenToTheSameDestination() {
        start(PlaceRules.defaults().withWorkers(10, 20).with(new PlaceRules.Depth(1, 50, 1))
                .with(new Shares(2, 0), new Shares(1, 0)));
        for (int i = 1; i <= 6; i++) {
            route("d" + i + ".example", "mx.d" + i + ".example");
        }
        QueueId list = queue(IntStream.rangeClosed(1, 6).mapToObj(i -> "a@d" + i + ".example").toArray(String[]::new));
        assertThat(ordered(QmgrOrder.Open.class)).hasSize(2);
        queue("b@d6.example");
        assertThat(ordered(QmgrOrder.Open.class)).as("a single message to the host that the list needs").hasSize(3);
        work();
        assertThat(ordered(QmgrOrder.Remove.class)).hasSize(2).last()
                .satisfies(remove -> assertThat(remove.id()).isEqualTo(list));
    }

    @Test
    void anAnswerToNothingIsRefusedAndChangesNothing() {
        assertThatThrownBy(() -> happens(new QmgrEvent.ConnectionReady(98)))
                .isInstanceOf(ImpossibleEventException.class);
        route("far.example", "mx.far.example");
        queue("a@far.example");
        assertThatThrownBy(
                () -> happens(new QmgrEvent.DeliveryDone(
                        new DeliveryResult.Answered(77, lastOpen().connection(), List.of(), true))))
                .isInstanceOf(ImpossibleEventException.class);
        happens(new QmgrEvent.ConnectionReady(lastOpen().connection()));
        assertThat(ordered(QmgrOrder.Deliver.class)).hasSize(1);
    }

    @Test
    void anOperatorsChangeIsPublishedAtTheNextAlarmWhichIsDueAtOnce() {
        HostKey host = HostKey.of("mx.far.example", 25);
        seating.suspend(host, "maintenance", "ann", Long.MAX_VALUE, now);
        assertThat(brain.nextAlarmMillis()).isLessThanOrEqualTo(now);
        alarm(now);
        assertThat(remembered).hasSize(1);
        seating.hosts().resume(host);
        alarm(now);
        assertThat(remembered).last()
                .isEqualTo(new HostRow.Change.Gone(host.toString(), HostRow.HostRowKind.SUSPENDED));
        assertThat(brain.nextAlarmMillis()).isGreaterThan(now);
    }

    /// Two domains that have just died, each with its own host.
    @Test
    void aFlushOfADomainRevivesItsOwnHostsAndNoOthers() {
        route("one.example", "mx.one.example");
        route("two.example", "mx.two.example");
        dies("one.example");
        dies("two.example");
        int opened = ordered(QmgrOrder.Open.class).size();
        alarm(now + 1_000);
        happens(new QmgrEvent.Operator(
                new QmgrEvent.OperatorCommand.Flush(Optional.empty(), Optional.of("one.example"))));
        queue("b@two.example");
        alarm(now);
        assertThat(ordered(QmgrOrder.Open.class)).as("the other host rests").hasSize(opened);
        queue("b@one.example");
        assertThat(ordered(QmgrOrder.Open.class)).hasSize(opened + 1);
        assertThat(lastOpen().route().nextHop()).isEqualTo("one.example");
    }

    @Test
    void aTryThatIsForbiddenByASuspensionIsNoAttemptAndTheNextOneComesWhenItEnds() {
        route("far.example", "mx.far.example");
        HostKey host = HostKey.of("mx.far.example", 25);
        seating.suspend(host, "maintenance", "ann", now + 60_000, now);
        queue("a@far.example");
        alarm(now);
        QmgrOrder.RecordOutcome record = ordered(QmgrOrder.RecordOutcome.class).getLast();
        assertThat(record.attempt()).isFalse();
        assertThat(record.outcomes().getFirst().outcome().remote()).isEqualTo(host.toString());
        assertThat(ordered(QmgrOrder.Defer.class).getLast().nextAttemptMillis()).isEqualTo(now + 60_000);

        seating.suspend(host, "maintenance", "ann", Long.MAX_VALUE, now);
        queue("b@far.example");
        alarm(now);
        assertThat(ordered(QmgrOrder.RecordOutcome.class).getLast().attempt()).isFalse();
        assertThat(ordered(QmgrOrder.Defer.class).getLast().nextAttemptMillis()).as("the end is unknown")
                .isEqualTo(now + 300_000);
    }

    @Test
    void mailThatFailsAtItsFirstAttemptIsTriedAgainSoonHoweverLongItWasDeferred() {
        route("far.example", "mx.far.example");
        queue("a@far.example");
        refuse(lastOpen());
        assertThat(ordered(QmgrOrder.RecordOutcome.class).getLast().attempt()).isTrue();
        long hours = 7_200_000;
        now += hours;
        QueueId putOff = new QueueId(77);
        mail.put(putOff, List.of(new Recipient(1, Address.of("a@far.example"))));
        happens(new QmgrEvent.MessageQueued(new MessageSummary(putOff, Optional.of(Address.of("s@here.example")),
                now - hours, 1_000, 1, 1, 0, 0, false, false)));
        refuse(lastOpen());
        assertThat(ordered(QmgrOrder.Defer.class).getLast())
                .isEqualTo(new QmgrOrder.Defer(putOff, now + 300_000));
    }

    @Test
    void anOperatorSeesWhereAMessageWouldGoAndWhyNotElsewhere() {
        route("far.example", "mx1.far.example,mx2.far.example");
        seating.suspend(HostKey.of("mx1.far.example", 25), "maintenance", "ann", Long.MAX_VALUE, now);
        Seat seat = seating.find(new QueueId(1), routes.get("far.example"), true, now);
        assertThat(seat.reason()).isEqualTo("an unused host");
        assertThat(seat.passedOver()).singleElement()
                .satisfies(host -> assertThat(host.toString()).contains("mx1.far.example",
                        "suspended by ann: maintenance"));
    }

    @Test
    void sixtySilentDestinationsLeaveConnectionsForOtherMail() {
        for (int d = 0; d < 60; d++) {
            route("silent" + d + ".example", "mx.silent" + d + ".example");
            for (int i = 0; i < 8; i++) {
                queue("a@silent" + d + ".example");
            }
        }
        assertThat(ordered(QmgrOrder.Open.class)).as("one connection each").hasSize(60);
        route("new.example", "mx.new.example");
        QueueId first = queue("a@new.example");
        QmgrOrder.Open open = lastOpen();
        assertThat(open.route().nextHop()).isEqualTo("new.example");
        happens(new QmgrEvent.ConnectionReady(open.connection()));
        done(ordered(QmgrOrder.Deliver.class).getLast());
        assertThat(ordered(QmgrOrder.Remove.class)).singleElement()
                .satisfies(remove -> assertThat(remove.id()).isEqualTo(first));
    }

    @Test
    void whereMoreAreSilentThanMayBeAHostThatIsKnownToWorkStillFindsAPlace() {
        route("known.example", "mx.known.example");
        queue("a@known.example");
        work();
        for (int d = 0; d < 200; d++) {
            route("silent" + d + ".example", "mx.silent" + d + ".example");
            queue("a@silent" + d + ".example");
        }
        assertThat(seating.figures("smtp").unproven()).isEqualTo(75);
        assertThat(seating.figures("smtp").isShort()).isTrue();
        int before = ordered(QmgrOrder.Deliver.class).size();
        for (int i = 0; i < 20; i++) {
            queue("a@known.example");
        }
        assertThat(ordered(QmgrOrder.Deliver.class)).hasSizeGreaterThan(before);

        route("new.example", "mx.new.example");
        queue("a@new.example");
        assertThat(ordered(QmgrOrder.Open.class)).noneMatch(open -> open.route().nextHop().equals("new.example"));
    }

    @Test
    void aConnectionWithoutAGreetingIsEvictedWhenConnectionsAreShort() {
        for (int d = 0; d < 75; d++) {
            route("silent" + d + ".example", "mx.silent" + d + ".example");
            queue("a@silent" + d + ".example");
        }
        long first = ordered(QmgrOrder.Open.class).getFirst().connection();
        assertThat(brain.nextAlarmMillis()).as("nothing is short yet").isGreaterThan(now + 30_000);
        route("new.example", "mx.new.example");
        queue("a@new.example");
        assertThat(brain.nextAlarmMillis()).isEqualTo(now + 30_000);
        alarm(now + 30_000);
        assertThat(ordered(QmgrOrder.Close.class)).singleElement()
                .satisfies(close -> assertThat(close.connection()).isEqualTo(first));
        assertThat(lastOpen().route().nextHop()).isEqualTo("new.example");
        alarm(now);
        assertThat(ordered(QmgrOrder.Defer.class)).singleElement()
                .satisfies(defer -> assertThat(defer.id()).isEqualTo(new QueueId(1)));
        assertThat(ordered(QmgrOrder.RecordOutcome.class).getLast().outcomes().getFirst().outcome().reply().text())
                .contains("mx.silent0.example has sent no greeting for 30 s");
        assertThat(seating.figures("smtp").unproven()).isEqualTo(75);
    }
}
