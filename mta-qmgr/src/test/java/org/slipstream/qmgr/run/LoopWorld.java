package org.slipstream.qmgr.run;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.QueueQueries;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.trace.QmgrObserver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/// The real inbox and the real loop with a spool in memory, on which any thread may commit. Each
/// order is answered at once. The clock is that of the machine, and a test may set it forward.
final class LoopWorld implements AutoCloseable {
    private static final String DOMAIN = "far.example";

    final Inbox inbox;
    final QmgrLoop loop;
    final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    final AtomicInteger incomingScans = new AtomicInteger();

    /// By id: those in the incoming queue, and those with a lease.
    private final Map<QueueId, MessageSummary> incoming = new ConcurrentSkipListMap<>();
    private final Map<QueueId, MessageSummary> leased = new ConcurrentHashMap<>();
    final Map<QueueId, AtomicInteger> deliveries = new ConcurrentHashMap<>();
    final Set<QueueId> removed = ConcurrentHashMap.newKeySet();
    private final AtomicLong forward = new AtomicLong();
    private final AtomicLong ids = new AtomicLong();

    LoopWorld(int arrivalLimit, QmgrObserver observer) {
        inbox = new Inbox(arrivalLimit);
        loop = new QmgrLoop(new QueueManager(QmgrConfig.defaults(), QmgrConfig.defaults().plainSeating(new Random(1)),
                new Random(1)), inbox, order(), this::now, failure::complete, observer);
        loop.start();
    }

    long now() {
        return System.currentTimeMillis() + forward.get();
    }

    /// Sets the clock forward, and waits for the turn after it.
    void after(long millis) throws Exception {
        forward.addAndGet(millis);
        loop.inspect(_ -> 0).get(90, TimeUnit.SECONDS);
        loop.inspect(_ -> 0).get(90, TimeUnit.SECONDS);
    }

    /// A message on disk that is not announced yet.
    MessageSummary commit() {
        MessageSummary message = new MessageSummary(new QueueId(ids.incrementAndGet()),
                Optional.of(Address.of("s@here.example")), now(), 10, 1, 1, 0, 0, false, false);
        incoming.put(message.id(), message);
        return message;
    }

    long unannounced() throws Exception {
        return loop.inspect(QueueQueries::unannounced).get(90, TimeUnit.SECONDS);
    }

    /// Waits until this number of messages is delivered and removed.
    void awaitRemoved(int messages) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        while (removed.size() < messages && System.nanoTime() < end) {
            assertThat(failure).isNotDone();
            loop.inspect(_ -> 0).get(90, TimeUnit.SECONDS);
        }
        assertThat(removed).hasSize(messages);
    }

    private OrderSink order() {
        return order -> {
            switch (order) {
                case QmgrOrder.Scan scan -> inbox.answer(scan(scan));
                // A scan may find a message before it is announced, and it may be removed by then.
                case QmgrOrder.ReadRecipients read -> inbox.answer(new QmgrEvent.RecipientsRead(read.id(),
                        removed.contains(read.id())
                                ? List.of()
                                : List.of(new Recipient(1, Address.of("u@" + DOMAIN))),
                        true));
                case QmgrOrder.Defer defer -> inbox.answer(new QmgrEvent.Filed(Optional.of(defer.id())));
                case QmgrOrder.FindRoute find ->
                    inbox.answer(new QmgrEvent.RouteKnown(find.domain(), new Route.Discard(DOMAIN)));
                case QmgrOrder.Open open -> inbox.answer(new QmgrEvent.ConnectionReady(open.connection()));
                case QmgrOrder.Deliver deliver -> {
                    deliveries.computeIfAbsent(deliver.id(), _ -> new AtomicInteger()).incrementAndGet();
                    inbox.answer(new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(deliver.delivery().number(),
                            deliver.connection(), List.of(new RecipientOutcome(1,
                                    new Outcome.Delivered(Reply.of(250, "ok"), "mx"))),
                            true)));
                }
                case QmgrOrder.RecordOutcome record ->
                    inbox.answer(new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
                case QmgrOrder.Remove remove -> {
                    incoming.remove(remove.id());
                    leased.remove(remove.id());
                    removed.add(remove.id());
                    inbox.answer(new QmgrEvent.Filed(Optional.of(remove.id())));
                }
                default -> {
                    // Connections are closed; nothing is deferred here.
                }
            }
        };
    }

    private QmgrEvent scan(QmgrOrder.Scan scan) {
        if (scan.queue() == QueueName.DEFERRED) {
            return new QmgrEvent.ScanDone(List.of(), false, OptionalLong.empty());
        }
        incomingScans.incrementAndGet();
        List<MessageSummary> found = new ArrayList<>();
        for (MessageSummary each : incoming.values()) {
            if (found.size() == scan.limit()) {
                break;
            }
            found.add(each);
        }
        for (MessageSummary each : found) {
            leased.put(each.id(), each);
            incoming.remove(each.id());
        }
        return new QmgrEvent.ScanDone(found, !incoming.isEmpty(), OptionalLong.empty());
    }

    @Override
    public void close() {
        try {
            loop.stop(Duration.ofSeconds(10));
        } catch (InterruptedException hurry) {
            throw new IllegalStateException(hurry);
        }
    }
}
