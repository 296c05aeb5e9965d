package org.slipstream.server.dispatch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Delivery;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.local.maildir.LocalDelivery;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.smtpout.Carriers;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.spool.DamagedException;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/// Each order gets its one answer, with any failure of the disk.
class OrderDispatcherTest {
    private static final Route LOCAL = new Route.Local("here.example");
    private static final List<Recipient> TO_ANN = List.of(new Recipient(1, Address.of("ann@here.example")));

    @TempDir
    Path folder;

    private final BlockingQueue<QmgrEvent> inbox = new LinkedBlockingQueue<>();
    private final Map<String, Exception> trouble = new ConcurrentHashMap<>();
    private final List<String> confirmed = new CopyOnWriteArrayList<>();
    private volatile int troubledReceipts;
    private Spool real;
    private OrderDispatcher dispatcher;
    private Carriers carriers;

    @BeforeEach
    void open() throws Exception {
        real = Spools.open(SpoolConfig.at(folder), System::currentTimeMillis);
        carriers = new Carriers(ClientConfig.of("mta.example"), new QmgrCarrierEvents(inbox::add));
        dispatcher = new OrderDispatcher(troubled(real), new Table(), carriers, _ -> false,
                (_, _, recipients, _) -> new LocalDelivery.LocalResult.Decided(delivered(recipients)),
                new Receiving(), inbox::add, System::currentTimeMillis);
    }

    private final class Receiving implements OrderDispatcher.Reports {
        @Override
        public boolean report(QueueId id, ReportKind kind) {
            try {
                confirmed.add(id + " " + real.details(id).isPresent());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            boolean fine = troubledReceipts <= 0;
            troubledReceipts = 0;
            return fine;
        }
    }

    @AfterEach
    void close() throws Exception {
        dispatcher.close();
        carriers.close();
        real.close();
    }

    @Test
    void aMessageGoesThroughAndLeavesTheSpool() throws Exception {
        QueueId id = committed().id();
        dispatcher.order(new QmgrOrder.ReadRecipients(id, 0, 10));
        assertThat(answer(QmgrEvent.RecipientsRead.class).recipients()).isEqualTo(TO_ANN);
        dispatcher.order(new QmgrOrder.Open(7, LOCAL));
        assertThat(answer(QmgrEvent.ConnectionReady.class).connection()).isEqualTo(7);
        dispatcher.order(new QmgrOrder.Deliver(7, new Delivery(9, id, LOCAL, TO_ANN)));
        DeliveryResult.Answered done = answered();
        assertThat(done.outcomes()).isEqualTo(delivered(TO_ANN));
        dispatcher.order(new QmgrOrder.RecordOutcome(id, 3, TO_ANN, done.outcomes(), false));
        assertThat(answer(QmgrEvent.OutcomeRecorded.class).record()).isEqualTo(3);
        assertThat(real.details(id)).as("everybody has had it").isEmpty();
        dispatcher.order(new QmgrOrder.Remove(id, "sent"));
        assertThat(answer(QmgrEvent.Filed.class).id()).contains(id);
        assertThat(real.details(id)).isEmpty();
    }

    @Test
    @Tag("ZM-44")
    @Tag("IM-26")
    void recipientsThatCannotBeReadAreAskedForAgainAfterAPauseAndNeverTakenForNone() throws Exception {
        QueueId id = committed().id();
        trouble.put("readRecipients", new IOException("disk is slow today"));
        long began = System.nanoTime();
        dispatcher.order(new QmgrOrder.ReadRecipients(id, 0, 10));
        assertThat(answer(QmgrEvent.RecipientsRead.class).recipients()).isEqualTo(TO_ANN);
        assertThat(System.nanoTime() - began).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(950));
        assertThat(trouble).isEmpty();
    }

    @Test
    @Tag("ZM-44")
    void aDamagedMessageIsReportedAsSuch() throws Exception {
        QueueId id = committed().id();
        trouble.put("readRecipients", new DamagedException("row 1 names no address"));
        dispatcher.order(new QmgrOrder.ReadRecipients(id, 0, 10));
        assertThat(answer(QmgrEvent.MessageDamaged.class).reason()).isEqualTo("row 1 names no address");
    }

    @Test
    @Tag("ZM-44")
    void aMessageThatCannotBeReadIsDeferredAndCountsAgainstNoHost() throws Exception {
        QueueId id = committed().id();
        trouble.put("content", new IOException("input/output error"));
        dispatcher.order(
                new QmgrOrder.Open(1, new Route.Smtp("[127.0.0.1]:1", List.of(new Route.Host("127.0.0.1", 1, 0)))));
        answer(QmgrEvent.ConnectionFailed.class);
        Route smtp = new Route.Smtp("far.example", List.of(new Route.Host("127.0.0.1", 1, 0)));
        dispatcher.order(new QmgrOrder.Deliver(1, new Delivery(2, id, smtp, TO_ANN)));
        assertThat(answer(QmgrEvent.DeliveryDone.class).result()).isEqualTo(new DeliveryResult.OwnFailure(2, 1,
                Reply.of(451, "4.3.0", "queue file read error"), DeliveryResult.Scope.MESSAGE, true));
    }

    /// A disk that is gone must not be tried at full speed for every message (PF-16).
    @Test
    @Tag("PF-16")
    void mailboxesThatCannotBeWrittenAreAFailureOfTheWholeTransport() throws Exception {
        Reply gone = Reply.of(451, "4.3.0", "local trouble writing the mailbox");
        OrderDispatcher sad = new OrderDispatcher(real, new Table(), carriers, _ -> false,
                (_, _, _, _) -> new LocalDelivery.LocalResult.DiskGone(gone), new Receiving(), inbox::add,
                System::currentTimeMillis);
        try (sad) {
            QueueId id = committed().id();
            sad.order(new QmgrOrder.Deliver(7, new Delivery(9, id, LOCAL, TO_ANN)));
            assertThat(answer(QmgrEvent.DeliveryDone.class).result()).isEqualTo(
                    new DeliveryResult.OwnFailure(9, 7, gone, DeliveryResult.Scope.TRANSPORT, true));
        }
    }

    private DeliveryResult.Answered answered() throws Exception {
        return (DeliveryResult.Answered) answer(QmgrEvent.DeliveryDone.class).result();
    }

    @Test
    void aRouteToNowhereDeliversByThrowingAway() throws Exception {
        QueueId id = committed().id();
        Route discard = new Route.Discard("devnull.example");
        dispatcher.order(new QmgrOrder.Open(1, discard));
        answer(QmgrEvent.ConnectionReady.class);
        dispatcher.order(new QmgrOrder.Deliver(1, new Delivery(2, id, discard, TO_ANN)));
        assertThat(answered().outcomes()).singleElement()
                .extracting(RecipientOutcome::outcome).isInstanceOf(Outcome.Delivered.class);
    }

    @Test
    void routesFromTheTableAndRoutesThatBlockAreBothAnswered() throws Exception {
        dispatcher.order(new QmgrOrder.FindRoute("here.example", new QueueId(1)));
        assertThat(answer(QmgrEvent.RouteKnown.class).route()).isEqualTo(LOCAL);
        dispatcher.order(new QmgrOrder.FindRoute("nowhere.example", new QueueId(1)));
        assertThat(answer(QmgrEvent.RouteFailed.class).reason().code()).isEqualTo(550);
    }

    @Test
    void aReportThatFailsIsAnsweredAsNotDone() throws Exception {
        OrderDispatcher sad = new OrderDispatcher(real, new Table(), carriers, _ -> false,
                (_, _, recipients, _) -> new LocalDelivery.LocalResult.Decided(delivered(recipients)),
                (_, _) -> {
                    throw new IllegalStateException("broken report");
                }, inbox::add, System::currentTimeMillis);
        try (sad) {
            sad.order(new QmgrOrder.Notify(committed().id(), ReportKind.FAILED));
            assertThat(answer(QmgrEvent.Notified.class).done()).isFalse();
        }
    }

    @Test
    void aScanFindsWhatIsDueAndSaysWhenTheRestIs() throws Exception {
        MessageSummary first = committed();
        MessageSummary second = committed();
        dispatcher.order(new QmgrOrder.Defer(second.id(), Long.MAX_VALUE / 2));
        answer(QmgrEvent.Filed.class);
        long now = System.currentTimeMillis();
        dispatcher.order(new QmgrOrder.Scan(QueueName.DEFERRED, 10, now, now + 60_000, 0, Long.MAX_VALUE));
        QmgrEvent.ScanDone done = answer(QmgrEvent.ScanDone.class);
        assertThat(done.found()).isEmpty();
        assertThat(done.nextDueMillis()).hasValue(Long.MAX_VALUE / 2);
        dispatcher.order(new QmgrOrder.Scan(QueueName.INCOMING, 10, now, now + 60_000, 0, Long.MAX_VALUE));
        assertThat(answer(QmgrEvent.ScanDone.class).found()).extracting(MessageSummary::id)
                .containsExactly(first.id());
    }

    @Test
    void aSenderWhoRequestedSuccessReportsGetsOneBeforeTheMessageIsRemovedAndOthersCostNoRead() throws Exception {
        QueueId plain = committed().id();
        dispatcher.order(new QmgrOrder.Remove(plain, "sent"));
        assertThat(answer(QmgrEvent.Filed.class).id()).contains(plain);
        assertThat(confirmed).isEmpty();

        QueueId asked = committed(Set.of(DsnNotify.SUCCESS)).id();
        troubledReceipts = 1;
        dispatcher.order(new QmgrOrder.Remove(asked, "sent"));
        assertThat(answer(QmgrEvent.Filed.class).id()).contains(asked);
        assertThat(confirmed).as("asked again after local trouble, while the message was there")
                .containsExactly(asked + " true", asked + " true");
        assertThat(real.details(asked)).isEmpty();
    }

    @Test
    void ofAMessageThatIsNoLongerInMemoryTheEnvelopeIsRemembered() throws Exception {
        QueueId id = committed().id();
        trouble.put("nothing", new IOException("only so that nothing is in memory"));
        dispatcher.order(new QmgrOrder.Open(7, LOCAL));
        answer(QmgrEvent.ConnectionReady.class);
        dispatcher.order(new QmgrOrder.Deliver(7, new Delivery(9, id, LOCAL, TO_ANN)));
        answer(QmgrEvent.DeliveryDone.class);
        dispatcher.order(new QmgrOrder.Remove(id, "sent"));
        answer(QmgrEvent.Filed.class);
        assertThat(confirmed).isEmpty();

        QueueId settledBeforeARestart = committed().id();
        dispatcher.order(new QmgrOrder.Remove(settledBeforeARestart, "sent"));
        answer(QmgrEvent.Filed.class);
        assertThat(confirmed).as("its question is unknown").containsExactly(settledBeforeARestart + " true");
    }

    private MessageSummary committed() throws IOException {
        return committed(Set.of());
    }

    private MessageSummary committed(Set<DsnNotify> notify) throws IOException {
        try (Draft draft = real.draft()) {
            byte[] text = "Subject: hello\r\n\r\nhello\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            draft.write(text, 0, text.length);
            return draft.commit(new Envelope(Address.parse("bob@there.example"), BodyType.SEVEN_BIT, false,
                    Optional.empty(), DsnReturn.UNSPECIFIED,
                    List.of(new Recipient(1, Address.of("ann@here.example"), Optional.empty(), notify))));
        }
    }

    private <E extends QmgrEvent> E answer(Class<E> kind) throws InterruptedException {
        QmgrEvent event = inbox.poll(90, TimeUnit.SECONDS);
        assertThat(event).isInstanceOf(kind);
        return kind.cast(event);
    }

    private static List<RecipientOutcome> delivered(List<Recipient> recipients) {
        Outcome sent = new Outcome.Delivered(Reply.of(250, "2.0.0", "filed"), "local");
        return recipients.stream().map(r -> new RecipientOutcome(r.number(), sent)).toList();
    }

    /// The real spool, except that a method named in [#trouble] fails once; until then it has no
    /// effect on memory.
    private Spool troubled(Spool spool) {
        return (Spool) Proxy.newProxyInstance(Spool.class.getClassLoader(), new Class<?>[]{Spool.class},
                (_, method, arguments) -> {
                    if (method.getName().equals("inMemory") && !trouble.isEmpty()) {
                        return Optional.empty();
                    }
                    Exception planned = trouble.remove(method.getName());
                    if (planned != null) {
                        throw planned;
                    }
                    try {
                        return method.invoke(spool, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private static final class Table implements OrderDispatcher.Routes {
        @Override
        public boolean isQuick(String domain) {
            return domain.equals("here.example");
        }

        @Override
        public QmgrEvent find(String domain) {
            return isQuick(domain)
                    ? new QmgrEvent.RouteKnown(domain, LOCAL)
                    : new QmgrEvent.RouteFailed(domain, Reply.of(550, "5.1.2", "no such domain"));
        }
    }
}
