package org.slipstream.server.operate;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.operations.Operations.ConnectionsView;
import org.slipstream.admin.operations.Operations.MessageCount;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.NotOnDiskException;
import org.slipstream.admin.operations.Operations.QueuePage;
import org.slipstream.admin.operations.Operations.Status;
import org.slipstream.admin.operations.Operations.VerdictView;
import org.slipstream.admin.operations.ViewOperations.Activity;
import org.slipstream.admin.operations.ViewOperations.ProviderView;
import org.slipstream.admin.operations.ViewOperations.ShapeBy;
import org.slipstream.admin.operations.ViewOperations.ShapePage;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;
import org.slipstream.core.Address;
import org.slipstream.core.AddressPattern;
import org.slipstream.core.Envelope;
import org.slipstream.core.HostKey;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.RouteText;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Instructions;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.core.queue.QueueFilter.State;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.local.maildir.LocalDelivery;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.DestinationState;
import org.slipstream.qmgr.place.HostState;
import org.slipstream.qmgr.run.Inbox;
import org.slipstream.qmgr.run.QmgrLoop;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.trace.QmgrTrace;
import org.slipstream.server.dispatch.OrderDispatcher;
import org.slipstream.server.dispatch.QmgrCarrierEvents;
import org.slipstream.server.dispatch.RestingDispatcher;
import org.slipstream.server.dispatch.Verifications;
import org.slipstream.server.hosts.SuspendedHost;
import org.slipstream.server.view.MailCounters;
import org.slipstream.server.view.ProviderOfMail;
import org.slipstream.server.view.QueueShape;
import org.slipstream.smtpout.Carriers;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.history.History;
import org.slipstream.spool.history.HistorySearch;
import org.slipstream.spool.index.IndexException;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.log.HostRecord;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The operator's commands with the real spool and the real queue manager; no message is delivered,
/// because no route is ever found.
class QueueOperationsTest {
    private static final long STARTED = 1_800_000_000_000L;

    @TempDir
    Path folder;

    private final Inbox inbox = new Inbox(100);
    private final MailCounters traffic = new MailCounters(STARTED);
    private final CountDownLatch dns = new CountDownLatch(1);
    private Spool spool;
    private Carriers carriers;
    private OrderDispatcher dispatcher;
    private QmgrLoop loop;
    private QueueOperations operations;
    private final Map<String, Integer> reads = new ConcurrentHashMap<>();
    private volatile boolean indexIsDown;
    private volatile boolean diskStandsStill;
    private volatile List<Spool.Trouble> troubles = List.of();
    private volatile List<SuspendedHost> suspended = List.of();

    @BeforeEach
    void open() throws Exception {
        spool = Spools.open(SpoolConfig.at(folder), System::currentTimeMillis);
        carriers = new Carriers(ClientConfig.of("mta.example"), new QmgrCarrierEvents(inbox::answer));
        dispatcher = new OrderDispatcher(spool, new DnsThatIsSilent(), carriers, _ -> false,
                (_, _, _, _) -> new LocalDelivery.LocalResult.Decided(List.of()), (_, _) -> true,
                inbox::answer, System::currentTimeMillis);
        QmgrConfig settings = QmgrConfig.defaults();
        QueueManager manager = new QueueManager(settings, settings.plainSeating(RandomGenerator.getDefault()),
                RandomGenerator.getDefault(),
                QmgrTrace.SILENT);
        loop = new QmgrLoop(manager, inbox, new RestingDispatcher(dispatcher, inbox::answer), System::currentTimeMillis,
                _ -> {});
        loop.start();
        operations = new QueueOperations(sometimesDown(spool), inbox, dispatcher.commands(), System::currentTimeMillis,
                "0.1",
                "mail.example.org", new QueueViewSources(true, carriers::phase, _ -> suspended,
                        () -> new ConnectionsView(100, 0, 0, 0, 75), (_, _, _) -> Optional.empty(),
                        new QueueViewSources.Stuck(() -> 3, () -> 0),
                        new Traces(History.OFF, () -> new HistorySearch(folder.resolve("history"), Instant.EPOCH)),
                        traffic,
                        _ -> Optional.empty(), question -> question.startsWith("here.") ? "local" : "smtp",
                        Optional.of(this::verdict)),
                List.of());
    }

    @AfterEach
    void close() throws Exception {
        dns.countDown();
        loop.stop(Duration.ofSeconds(5));
        dispatcher.close();
        carriers.close();
        spool.close();
    }

    /// A message that waits for a route is active, and stays so.
    private final class DnsThatIsSilent implements OrderDispatcher.Routes {
        @Override
        public boolean isQuick(String domain) {
            return false;
        }

        @Override
        public QmgrEvent find(String domain) {
            try {
                dns.await();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
            return new QmgrEvent.RouteFailed(domain, Reply.of(451, "4.4.3", "DNS is silent"));
        }
    }

    private Spool sometimesDown(Spool real) {
        return (Spool) Proxy.newProxyInstance(Spool.class.getClassLoader(), new Class<?>[]{Spool.class},
                (_, method, arguments) -> {
                    reads.merge(method.getName(), 1, Integer::sum);
                    if (diskStandsStill && method.getName().equals("isSlow")) {
                        return true;
                    }
                    if (method.getName().equals("troubles") && !troubles.isEmpty()) {
                        return troubles;
                    }
                    if (indexIsDown && method.getName().equals("counts")) {
                        throw new IndexException("cannot read the index",
                                new SQLException("the database has been closed", "90098"));
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private QueueId from(String sender, String recipient) throws IOException {
        try (Draft draft = spool.draft()) {
            return draft.commit(Envelope.of(Address.parse(sender), List.of(Address.of(recipient)))).id();
        }
    }

    private List<QueueId> mailing(int messages) throws IOException {
        List<QueueId> ids = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            ids.add(from(i % 2 == 0 ? "news@here.example" : "boss@here.example", "ann@far.example"));
        }
        return ids;
    }

    private static QueueFilter sender(String pattern) {
        return new QueueFilter(AddressPattern.parse(pattern), List.of(), Optional.empty(), OptionalLong.empty(),
                OptionalLong.empty(), 0);
    }

    private static List<String> ids(QueuePage page) {
        return page.messages().stream().map(MessageView::id).toList();
    }

    @Test
    void matchingMessagesAreDeletedByPagesAndGoneInTheNextList() throws Exception {
        List<QueueId> ids = mailing(10);
        MessageCount first = operations.order(new MessageOrder.Delete(), sender("news@*"), Optional.empty(), 3);
        assertThat(first.count()).isEqualTo(3);
        assertThat(operations.count(sender("news@*"), Optional.empty()).count()).isEqualTo(2);
        MessageCount second = operations.order(new MessageOrder.Delete(), sender("news@*"),
                first.next().flatMap(QueueId::parse), 3);
        assertThat(second).isEqualTo(new MessageCount(2, Optional.empty()));
        assertThat(ids(operations.list(QueueFilter.ANY, Optional.empty(), 100))).containsExactly(ids.get(1).toString(),
                ids.get(3).toString(), ids.get(5).toString(), ids.get(7).toString(), ids.get(9).toString());
        assertThat(operations.count(QueueFilter.ANY, Optional.empty()))
                .isEqualTo(new MessageCount(5, Optional.empty()));
    }

    /// The queue manager reports when the index has the effect.
    @Test
    void anOrderReadsTheIndexOnceToFindItsMessagesAndDoesNotPollForItsEffect() throws Exception {
        mailing(10);
        operations.order(new MessageOrder.Hold("", ""), sender("news@*"), Optional.empty(), 9);
        assertThat(reads).containsEntry("find", 1);
        assertThat(operations.count(QueueFilter.ANY.withState(State.HELD), Optional.empty()).count()).isEqualTo(5);
    }

    @Test
    void mailIsFoundAndOrderedByTheProviderWhoseHostAnswered() throws Exception {
        List<QueueId> ids = mailing(6);
        for (QueueId id : ids.subList(0, 4)) {
            spool.record(id, List.of(new RecipientOutcome(1, new Outcome.Deferred(
                    Reply.of(450, "4.2.1", "The user you are trying to contact is receiving mail too quickly"),
                    "gmail-smtp-in.l.google.com[192.0.2.7]:25"))), true, () -> {});
        }
        QueueFilter google = QueueFilter.ANY.withProvider(Optional.of("google"));
        Awaitility.await().atMost(Duration.ofSeconds(90))
                .until(() -> operations.count(google, Optional.empty()).count() == 4);

        assertThat(google.isAny()).isFalse();
        assertThat(google.matchesEverything()).isFalse();
        QueuePage first = operations.list(google, Optional.empty(), 3);
        assertThat(ids(first)).containsExactly(ids.get(0).toString(), ids.get(1).toString(), ids.get(2).toString());
        assertThat(ids(operations.list(google, first.next().flatMap(QueueId::parse), 3)))
                .containsExactly(ids.get(3).toString());
        assertThat(operations.shape(ShapeBy.PROVIDER, Optional.empty()).rows()).extracting(ShapeRow::name)
                .containsExactly("google", "other");
        assertThat(operations.explain(ids.getFirst()).orElseThrow().text()).contains("\nprovider google\n");
        assertThat(operations.explain(ids.getLast()).orElseThrow().text()).doesNotContain("\nprovider");
        assertThat(operations.wouldOrder(new MessageOrder.Delete(), google, Optional.empty()).count()).isEqualTo(4);
        operations.order(new MessageOrder.Delete(), google, Optional.empty(), 100);
        assertThat(ids(operations.list(QueueFilter.ANY, Optional.empty(), 100))).containsExactly(
                ids.get(4).toString(), ids.get(5).toString());
        assertThat(operations.providers()).extracting(ProviderView::name).contains("google", "other");
    }

    private void verdict(Address address, Consumer<Verifications.VerificationVerdict> answer) {
        answer.accept(address.localPart().equals("ann")
                ? new Verifications.VerificationVerdict(Verifications.VerificationResult.DELIVERABLE,
                        "smtp/far.example",
                        "mx.far.example[192.0.2.1]:25", Reply.of(250, "2.1.5", "Ok"))
                : new Verifications.VerificationVerdict(Verifications.VerificationResult.UNDELIVERABLE,
                        "smtp/far.example",
                        "mx.far.example[192.0.2.1]:25", Reply.of(550, "5.1.1", "User unknown")));
    }

    @Test
    void anAddressIsVerifiedByProbes() {
        assertThat(operations.verify(Address.of("ann@far.example"))).contains(new VerdictView("ann@far.example",
                "deliverable", "smtp/far.example", "mx.far.example[192.0.2.1]:25", "250 2.1.5 Ok"));
        assertThat(operations.verify(Address.of("bob@far.example")).orElseThrow().verdict()).isEqualTo("undeliverable");
    }

    /// The queue manager does not answer, as while a delivery goes on.
    @Test
    void anOrderThatIsNotOnDiskWhenTheWaitEndsIsToldApart() throws Exception {
        mailing(1);
        QueueId id = spool.ids(Optional.empty(), 1).getFirst();
        loop.stop(Duration.ofSeconds(5));
        assertThat(operations.order(new MessageOrder.Hold("", ""), id)).as("the delivery takes long").isTrue();
        diskStandsStill = true;
        assertThatThrownBy(() -> operations.order(new MessageOrder.Hold("", ""), id))
                .isInstanceOf(NotOnDiskException.class).hasMessageContaining("not on disk yet");
        diskStandsStill = false;
        troubles = List.of(new Spool.Trouble(Spool.What.LOG, STARTED, "No space left on device", true));
        assertThatThrownBy(() -> operations.order(new MessageOrder.Delete(), id))
                .isInstanceOf(NotOnDiskException.class);
    }

    /// A release that did not find them would say that it is done, and the mail would be on hold afterwards.
    @Test
    void aReleaseFindsHoldsThatAreNotOnDiskAndAHoldFindsReleases() throws Exception {
        List<QueueId> ids = mailing(6);
        operations.order(new MessageOrder.Hold("", ""), ids.get(1));
        loop.stop(Duration.ofSeconds(5));
        operations.order(new MessageOrder.Hold("", ""), sender("news@*"), Optional.empty(), 2);
        operations.order(new MessageOrder.Release(), ids.get(1));

        assertThat(operations.toBeOrdered(new MessageOrder.Release(), QueueFilter.ANY, Optional.empty(), 9).ids())
                .containsExactly(ids.get(0), ids.get(1), ids.get(2));
        assertThat(operations.toBeOrdered(new MessageOrder.Release(), sender("news@*"), Optional.empty(), 1))
                .isEqualTo(new QueueIndex.Found(List.of(ids.get(0)), Optional.of(ids.get(0))));
        assertThat(operations.toBeOrdered(new MessageOrder.Hold("", ""), sender("boss@*"), Optional.empty(), 9).ids())
                .containsExactly(ids.get(1), ids.get(3), ids.get(5));
        assertThat(operations.count(QueueFilter.ANY.withState(State.HELD), Optional.empty()).count()).isEqualTo(1);
    }

    @Test
    void ordersThatWaitAreLimited() throws Exception {
        loop.stop(Duration.ofSeconds(5));
        List<QueueId> most = LongStream.rangeClosed(1, QueueOperations.MOST_UNANSWERED).mapToObj(QueueId::new).toList();
        operations.order(new MessageOrder.Flush(), most);
        assertThatThrownBy(() -> operations.order(new MessageOrder.Flush(), List.of(new QueueId(1))))
                .isInstanceOf(NotOnDiskException.class).hasMessageContaining("not ordered: 100000 orders already wait");
    }

    @Test
    void holdAndReleaseCountWhatTheyChangeAndADryRunChangesNothing() throws Exception {
        mailing(6);
        assertThat(operations.wouldOrder(new MessageOrder.Hold("", ""), sender("news@*"), Optional.empty()).count())
                .isEqualTo(3);
        assertThat(operations.count(QueueFilter.ANY.withState(State.HELD), Optional.empty()).count()).isZero();
        assertThat(operations.order(new MessageOrder.Hold("", ""), sender("news@*"), Optional.empty(), 2).count())
                .isEqualTo(2);
        assertThat(operations.order(new MessageOrder.Hold("", ""), sender("news@*"), Optional.empty(), 9).count())
                .as("those not held yet").isEqualTo(1);
        QueuePage held = operations.list(QueueFilter.ANY.withState(State.HELD), Optional.empty(), 100);
        assertThat(held.messages()).hasSize(3).allMatch(message -> message.state().equals("held"));
        assertThat(held.total()).isEqualTo(6);
        assertThat(operations.order(new MessageOrder.Release(), sender("boss@*"), Optional.empty(), 9).count())
                .isZero();
        assertThat(operations.order(new MessageOrder.Release(), sender("*@*"), Optional.empty(), 9).count())
                .isEqualTo(3);
        assertThat(operations.count(QueueFilter.ANY.withState(State.HELD), Optional.empty()).count()).isZero();
    }

    @Test
    void instructionsReachDeferredAndActiveMailAndAreInTheIndexWhenTheyAreAnswered() throws Exception {
        List<QueueId> ids = mailing(4);
        inbox.offerArrival(spool.details(ids.get(2)).orElseThrow().summary());
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> operations.status().active() == 1);
        assertThat(operations.order(new MessageOrder.Priority(4), sender("news@*"), Optional.empty(), 9)
                .count()).isEqualTo(2);
        assertThat(operations.order(new MessageOrder.Reroute(Optional.of(operations.nextHop("relay.example"))),
                ids.get(1))).isTrue();
        assertThat(operations.order(new MessageOrder.Bounce("gone"), ids.get(3))).isTrue();
        assertThat(operations.order(new MessageOrder.Expire(), new QueueId(99))).as("no such message").isFalse();

        assertThat(spool.details(ids).stream().map(each -> each.summary().instructions()))
                .containsExactly(
                        new Instructions(Optional.empty(), Optional.empty(), OptionalInt.of(4), Optional.empty()),
                        new Instructions(Optional.empty(), RouteText.parse("smtp:[relay.example]:25"),
                                OptionalInt.empty(), Optional.empty()),
                        new Instructions(Optional.empty(), Optional.empty(), OptionalInt.of(4), Optional.empty()),
                        new Instructions(Optional.of(new Instruction.Return(Instruction.Cause.CANCELLED, "gone")),
                                Optional.empty(), OptionalInt.empty(), Optional.empty()));
        assertThat(operations.status().active()).as("a priority interrupts nothing").isEqualTo(1);
        // The delivery goes on; a kill now does not forget the order.
        operations.order(new MessageOrder.Hold("until they have answered", "ann"), ids.get(2));
        assertThat(operations.status().active()).isEqualTo(1);
        assertThat(spool.details(ids.get(2)).orElseThrow().summary().held()).isTrue();
        assertThat(operations.show(ids.get(2)).orElseThrow().state()).isEqualTo("active");
        assertThat(operations.order(new MessageOrder.Hold("", "ann"), ids.get(0))).isTrue();
        assertThat(operations.show(ids.get(0)).orElseThrow().why()).startsWith("ann has held it since ");
        assertThatThrownBy(() -> operations.nextHop("uucp:x")).hasMessageContaining("uucp");
    }

    @Test
    void mailInTheQueueManagerIsActiveAndTheRestIsDeferred() throws Exception {
        List<QueueId> ids = mailing(4);
        for (QueueId id : ids.subList(1, 3)) {
            inbox.offerArrival(spool.details(id).orElseThrow().summary());
        }
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> operations.status().active() == 2);
        assertThat(ids(operations.list(QueueFilter.ANY.withState(State.ACTIVE), Optional.empty(), 100)))
                .containsExactly(ids.get(1).toString(), ids.get(2).toString());
        assertThat(ids(operations.list(QueueFilter.ANY.withState(State.DEFERRED), Optional.empty(), 100)))
                .containsExactly(ids.get(0).toString(), ids.get(3).toString());
        assertThat(operations.count(sender("news@*").withState(State.ACTIVE), Optional.empty()).count()).isEqualTo(1);
        assertThat(operations
                .order(new MessageOrder.Delete(), QueueFilter.ANY.withState(State.DEFERRED), Optional.empty(), 100)
                .count()).isEqualTo(2);
        assertThat(ids(operations.list(QueueFilter.ANY, Optional.empty(), 100))).hasSize(2);
    }

    /// The columns of ZMailer's `SHOW THREAD`: file, sender, expiry, next wakeup, last feed, attempts,
    /// the reason, and the last diagnostic.
    @Test
    @Tag("ZM-47")
    void aDeferredMessageShowsTheColumnsOfShowThread() throws Exception {
        QueueId id = mailing(1).getFirst();
        long now = System.currentTimeMillis();
        spool.record(id, List.of(new RecipientOutcome(1, new Outcome.Deferred(Reply.of(450, "4.2.2", "mailbox full"),
                "mx.far.example[192.0.2.7]:25"))), true, () -> {});
        CountDownLatch deferred = new CountDownLatch(1);
        spool.defer(id, now + 300_000, deferred::countDown);
        deferred.await();

        MessageView message = operations.show(id).orElseThrow();
        assertThat(message.id()).isEqualTo(id.toString());
        assertThat(message.sender()).isNotEmpty();
        assertThat(Instant.parse(message.expires())).as("five days after the arrival")
                .isEqualTo(Instant.parse(message.created()).plus(Duration.ofDays(5)));
        assertThat(message.nextAttempt()).isEqualTo(Instant.ofEpochMilli(now + 300_000).toString());
        assertThat(Instant.parse(message.lastAttempt())).isBetween(Instant.ofEpochMilli(now), Instant.now());
        assertThat(message.attempts()).isEqualTo(1);
        assertThat(message.phase().code()).isEqualTo("retry");
        assertThat(message.recipients().getFirst().lastReply()).isEqualTo("450 4.2.2 mailbox full");
    }

    @Test
    void theShapeCountsByDestinationAndMarksTheHostThatIsLeftAlone() throws Exception {
        QueueId id = from("news@lists.example", "a@far.example");
        from("news@lists.example", "b@near.example");
        spool.record(id, List.of(new RecipientOutcome(1, new Outcome.Deferred(Reply.of(450, "4.4.1", "refused"),
                "mx.far.example[192.0.2.7]:25"))), true, () -> {});
        long now = System.currentTimeMillis();
        spool.keepHost(new HostRecord("[192.0.2.7]:25/may", "RETRY", "mx.far.example", now, now + 300_000, 1,
                "450 4.4.1 refused", ""));
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> !spool.hosts().isEmpty());

        ShapePage page = operations.shape(ShapeBy.DESTINATION, Optional.empty());
        assertThat(page.next()).isEmpty();
        assertThat(page.rows()).extracting(ShapeRow::name).containsExactly("far.example", "near.example");
        assertThat(page.rows()).allSatisfy(row -> assertThat(row.ages()).startsWith(1L).hasSize(10));
        assertThat(page.rows().getFirst().state()).isEqualTo("host left alone until "
                + Instant.ofEpochMilli(now + 300_000));
        assertThat(page.rows().getFirst().lastReply()).isEqualTo("450 4.4.1 refused (mx.far.example[192.0.2.7]:25)");
        assertThat(operations.shape(ShapeBy.SENDER, Optional.empty()).rows()).singleElement()
                .satisfies(row -> assertThat(row.total()).isEqualTo(2)).extracting(ShapeRow::name)
                .isEqualTo("lists.example");
    }

    @Test
    void theShapeMarksADomainWhoseNextHopBehindARouteIsDead() throws Exception {
        String failure = "connect to relay.example[192.0.2.7]:25: Connection refused";
        QueueId id = from("news@lists.example", "a@far.example");
        spool.record(id, List.of(new RecipientOutcome(1, new Outcome.Deferred(
                Reply.of(450, "4.4.1", "delivery temporarily suspended: " + failure), "local"))), true, () -> {});
        QueueShape shape = new QueueShape(ShapeBy.DESTINATION, Spool.CommonRecords.NONE,
                Map.of("[relay.example]:25", new DestinationState.Dead(
                        Instant.parse("2027-01-15T08:00:00Z").toEpochMilli(), Reply.of(450, "4.4.1", failure))),
                new ProviderOfMail(ProviderTable.EMPTY, Map.of()), System.currentTimeMillis());
        Awaitility.await().atMost(Duration.ofSeconds(90))
                .until(() -> spool.details(id).orElseThrow().recipients().getFirst().last().isPresent());
        shape.add(spool.details(id).orElseThrow());
        assertThat(shape.rows()).singleElement().satisfies(row -> assertThat(row.state())
                .isEqualTo("dead until 2027-01-15T08:00:00Z: 450 4.4.1 " + failure));
    }

    @Test
    @Tag("ZM-48")
    void theActivityHasTheCountersOfTheMib() throws Exception {
        traffic.received(new MessageSummary(new QueueId(1), Optional.empty(), 0, 2_048, 3, 3, 0, 0, false, false));
        var orders = traffic.counting(_ -> {}, () -> System.currentTimeMillis());
        orders.order(new QmgrOrder.RecordOutcome(new QueueId(1), 1,
                List.of(new Recipient(1, Address.of("a@far.example")), new Recipient(2, Address.of("b@near.example"))),
                List.of(new RecipientOutcome(1, new Outcome.Delivered(Reply.of(250, "2.0.0", "ok"), "mx")),
                        new RecipientOutcome(2, new Outcome.Deferred(Reply.of(450, "4.2.0", "later"), "mx"))),
                true));

        Activity activity = operations.activity();
        assertThat(activity.counters()).containsEntry("mtaReceivedMessages", 1L)
                .containsEntry("mtaReceivedRecipients", 3L).containsEntry("mtaReceivedVolume", 2L)
                .containsEntry("mtaTransmittedMessages", 1L).containsEntry("mtaTransmittedRecipients", 1L)
                .containsEntry("mtaDeferredRecipients", 1L);
        assertThat(activity.destinations()).singleElement().satisfies(each -> {
            assertThat(each.nextHop()).isEqualTo("near.example");
            assertThat(each.state()).isEqualTo("idle");
            assertThat(each.lastError()).isEqualTo("450 4.2.0 later");
        });
    }

    @Test
    void mailThatWaitsForARouteShowsThatAndHasNoNextAttempt() throws Exception {
        QueueId id = mailing(1).getFirst();
        assertThat(operations.show(id).orElseThrow().phase().code()).as("the queue manager was not told")
                .isEqualTo("due");
        inbox.offerArrival(spool.details(id).orElseThrow().summary());
        Awaitility.await().atMost(Duration.ofSeconds(90))
                .until(() -> operations.show(id).orElseThrow().phase().code().equals("route"));
        var message = operations.show(id).orElseThrow();
        assertThat(message.state()).isEqualTo("active");
        assertThat(message.why()).isEqualTo("waits for the route of far.example");
        assertThat(message.nextAttempt()).isEmpty();
        assertThat(message.phase().since()).isNotEmpty();
        assertThat(message.phase().until()).isEmpty();
    }

    @Test
    void mailForASuspendedHostWaitsUntilTheSuspensionEndsAndHasNotBeenTried() throws Exception {
        QueueId id = mailing(1).getFirst();
        HostKey host = HostKey.of("192.0.2.2", 25);
        long now = System.currentTimeMillis();
        spool.record(id, List.of(new RecipientOutcome(1, new Outcome.Deferred(Reply.of(450, "4.3.2", "suspended"),
                host.toString()))), false, () -> {});
        CountDownLatch deferred = new CountDownLatch(1);
        spool.defer(id, now + 300_000, deferred::countDown);
        deferred.await();
        assertThat(operations.show(id).orElseThrow().phase().code()).isEqualTo("retry");

        suspended = List.of(new SuspendedHost(host, "mx2.far.example",
                new HostState.Suspended(now, now + 7_200_000, "their disk is full", "ann")));
        var message = operations.show(id).orElseThrow();
        assertThat(message.attempts()).isZero();
        assertThat(message.phase().code()).isEqualTo("suspended");
        assertThat(message.nextAttempt()).as("not that of the next look")
                .isEqualTo(Instant.ofEpochMilli(now + 7_200_000).toString());
        assertThat(message.why()).startsWith("mx2.far.example is suspended by ann until ").endsWith(
                ": their disk is full");

        suspended = List.of(new SuspendedHost(host, "", new HostState.Suspended(now, Long.MAX_VALUE, "x", "ann")));
        assertThat(operations.show(id).orElseThrow().nextAttempt()).isEmpty();
        assertThat(operations.show(id).orElseThrow().why()).contains("until further notice");
    }

    @Test
    void theStatusAnswersAndTellsTroubleWhileTheIndexIsDown() throws Exception {
        mailing(2);
        assertThat(operations.status().messages()).contains(2L);
        assertThat(operations.status().started()).as("the start of the server, not that of this view of it")
                .isEqualTo("2027-01-15T08:00:00Z");
        assertThat(operations.status().trouble()).isEmpty();
        indexIsDown = true;
        troubles = List.of(new Spool.Trouble(Spool.What.INDEX, 1_800_000_000_000L, "input/output error", false),
                new Spool.Trouble(Spool.What.SPACE, 1_800_000_060_000L, "too little", true));
        Status status = operations.status();
        assertThat(status.messages()).isEmpty();
        assertThat(status.held()).isEmpty();
        assertThat(status.trouble()).hasSize(2).first().satisfies(trouble -> {
            assertThat(trouble.what()).isEqualTo("index");
            assertThat(trouble.since()).isEqualTo("2027-01-15T08:00:00Z");
            assertThat(trouble.meaning()).contains("mail is accepted and delivered until");
            assertThat(trouble.reason()).isEqualTo("input/output error");
        });
        assertThat(status.trouble().getLast().meaning()).contains("452 until", "spool.minimum-free");
    }
}
