package org.slipstream.server.dispatch;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.local.maildir.LocalDelivery;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.QueueQueries;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.run.Inbox;
import org.slipstream.qmgr.run.QmgrLoop;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.trace.QmgrObserver;
import org.slipstream.smtpout.Carriers;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/// A queue manager that fails is replaced on the same spool. Nothing is lost, and no delivery that
/// succeeded is repeated.
@Timeout(120)
@Tag("IM-27")
class QueueManagerRestartTest {
    private static final Route LOCAL = new Route.Local("here.example");
    private static final int MESSAGES = 40;

    @TempDir
    Path folder;

    private final AtomicLong forward = new AtomicLong();
    private final Map<String, AtomicInteger> mailboxes = new ConcurrentHashMap<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch inMailbox = new CountDownLatch(1);
    private Spool spool;

    @BeforeEach
    void open() throws Exception {
        spool = Spools.open(SpoolConfig.at(folder), this::now);
    }

    @AfterEach
    void close() {
        released.countDown();
        spool.close();
    }

    private long now() {
        return System.currentTimeMillis() + forward.get();
    }

    /// All that is made new for each queue manager.
    private final class Incarnation {
        private final Inbox inbox = new Inbox(10_000);
        private final DeliveriesUnderWay underWay = new DeliveriesUnderWay(inbox::answer);
        private final Carriers carriers = new Carriers(ClientConfig.of("mta.example"), new QmgrCarrierEvents(underWay));
        private final OrderDispatcher dispatcher = new OrderDispatcher(spool, new AllLocal(), carriers, _ -> false,
                (id, _, recipients, _) -> deliver(id, recipients), (_, _) -> true, underWay,
                QueueManagerRestartTest.this::now);
        private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
        private final QmgrLoop loop;

        Incarnation(QmgrObserver observer) {
            QmgrConfig config = QmgrConfig.defaults();
            underWay.begin();
            loop = new QmgrLoop(new QueueManager(config, config.plainSeating(new Random(1)), new Random(1)), inbox,
                    underWay.watching(dispatcher), QueueManagerRestartTest.this::now, failure::complete, observer);
        }

        /// The order of steps that a supervisor follows.
        void close() throws InterruptedException {
            underWay.queueManagerFailed();
            carriers.close(Duration.ofSeconds(1));
            dispatcher.close();
            assertThat(underWay.finish(Duration.ofSeconds(30))).isTrue();
        }

        void stop() throws InterruptedException {
            loop.stop(Duration.ofSeconds(10));
            carriers.close(Duration.ofSeconds(1));
            dispatcher.close();
        }
    }

    private static final class AllLocal implements OrderDispatcher.Routes {
        @Override
        public boolean isQuick(String domain) {
            return true;
        }

        @Override
        public QmgrEvent find(String domain) {
            return new QmgrEvent.RouteKnown(domain, LOCAL);
        }
    }

    /// Mail to `slow` waits until the test releases it.
    private LocalDelivery.LocalResult deliver(QueueId id, List<Recipient> recipients) {
        if (recipients.getFirst().address().toString().startsWith("slow")) {
            inMailbox.countDown();
            try {
                released.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException stop) {
                throw new IllegalStateException(stop);
            }
        }
        recipients.forEach(each -> mailboxes.computeIfAbsent(id + " " + each.address(), _ -> new AtomicInteger())
                .incrementAndGet());
        Outcome sent = new Outcome.Delivered(Reply.of(250, "2.0.0", "filed"), "local");
        return new LocalDelivery.LocalResult.Decided(
                recipients.stream().map(each -> new RecipientOutcome(each.number(), sent)).toList());
    }

    private MessageSummary committed(String... addresses) throws IOException {
        List<Recipient> recipients = new java.util.ArrayList<>();
        for (String address : addresses) {
            recipients.add(new Recipient(recipients.size() + 1, Address.of(address)));
        }
        try (Draft draft = spool.draft()) {
            byte[] text = "Subject: hello\r\n\r\nhello\r\n".getBytes(StandardCharsets.US_ASCII);
            draft.write(text, 0, text.length);
            return draft.commit(new Envelope(Address.parse("bob@there.example"), BodyType.SEVEN_BIT, false,
                    Optional.empty(), DsnReturn.UNSPECIFIED, recipients));
        }
    }

    /// Throws at the `number`-th event of this kind.
    private static QmgrObserver failingAt(String kind, int number) {
        AtomicInteger left = new AtomicInteger(number);
        return new QmgrObserver() {
            @Override
            public void happened(long nowMillis, QmgrEvent event) {
                if (event.getClass().getSimpleName().equals(kind) && left.decrementAndGet() == 0) {
                    throw new IllegalStateException("planned at " + kind);
                }
            }
        };
    }

    private void emptied(Incarnation successor) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        // The mail that a scan had claimed is due when its lease has ended. Its own lifetime must not end here.
        long latest = forward.get() + TimeUnit.MINUTES.toMillis(30);
        while (spool.counts().messages() > 0 && System.nanoTime() < end) {
            forward.set(Math.min(latest, forward.get() + 20_000));
            successor.inbox.inspect(QueueQueries::isQuiet).get(60, TimeUnit.SECONDS);
            Thread.onSpinWait();
        }
        assertThat(spool.counts().messages()).isZero();
        assertThat(successor.failure).isNotDone();
    }

    @ParameterizedTest
    @CsvSource({"MessageQueued,1", "MessageQueued,20", "ScanDone,1", "RecipientsRead,1", "RecipientsRead,15",
            "RouteKnown,1", "ConnectionReady,1", "ConnectionReady,5", "DeliveryDone,1", "DeliveryDone,17",
            "OutcomeRecorded,1", "OutcomeRecorded,17", "Filed,1", "Filed,20"})
    void theSuccessorDeliversTheRestAndRepeatsNothing(String kind, int number) throws Exception {
        Incarnation first = new Incarnation(failingAt(kind, number));
        for (int i = 0; i < MESSAGES / 2; i++) {
            first.inbox.offerArrival(committed("u" + i + "@here.example", "v" + i + "@here.example"));
        }
        first.loop.start();
        for (int i = MESSAGES / 2; i < MESSAGES; i++) {
            first.inbox.offerArrival(committed("u" + i + "@here.example", "v" + i + "@here.example"));
        }
        assertThat(first.failure.get(60, TimeUnit.SECONDS)).hasMessage("planned at " + kind);
        assertThat(first.inbox.offerArrival(committed("u@here.example", "v@here.example"))).isFalse();
        first.close();

        Incarnation second = new Incarnation(QmgrObserver.NOTHING);
        second.loop.start();
        emptied(second);
        second.stop();
        assertThat(spool.counts().held()).as("the observer failed, and no message has the blame").isZero();
        assertThat(mailboxes).hasSize(2 * (MESSAGES + 1));
        assertThat(mailboxes.values()).as("copies in each mailbox").allMatch(copies -> copies.get() == 1);
    }

    /// The delivery ends only after the failure. Its result goes to a closed inbox.
    @Test
    void aDeliveryUnderWayIsFinishedAndRecordedWithoutItsQueueManager() throws Exception {
        Incarnation first = new Incarnation(failingAt("Operator", 1));
        MessageSummary slow = committed("slow@here.example");
        first.inbox.offerArrival(slow);
        first.loop.start();
        assertThat(inMailbox.await(60, TimeUnit.SECONDS)).isTrue();
        first.inbox.answer(new QmgrEvent.Operator(
                new QmgrEvent.OperatorCommand.OfMessage(new QueueId(1), new MessageOrder.Requeue())));
        first.failure.get(60, TimeUnit.SECONDS);
        Thread.ofPlatform().start(released::countDown);
        first.close();
        assertThat(spool.details(slow.id())).as("its only recipient is finished").isEmpty();
    }

    /// Late answers of the old dispatcher go to the closed inbox.
    @Test
    void lateAnswersDoNotReachTheSuccessor() throws Exception {
        Incarnation first = new Incarnation(failingAt("MessageQueued", 1));
        first.loop.start();
        first.inbox.offerArrival(committed("u@here.example"));
        first.failure.get(60, TimeUnit.SECONDS);
        first.close();

        Incarnation second = new Incarnation(failingAt("ConnectionReady", 2));
        second.loop.start();
        emptied(second);
        first.dispatcher.order(new QmgrOrder.Open(77, LOCAL));
        // The spool is empty a little before the queue manager has the answer.
        Awaitility.await().atMost(Duration.ofSeconds(60))
                .until(() -> second.inbox.inspect(QueueQueries::isQuiet).get(60, TimeUnit.SECONDS));
        assertThat(second.failure).isNotDone();
        second.stop();
    }
}
