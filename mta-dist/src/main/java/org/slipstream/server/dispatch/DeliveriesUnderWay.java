package org.slipstream.server.dispatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// The deliveries of one queue manager whose outcomes are not recorded yet. After a failure of that
/// queue manager their outcomes are recorded without it, so that its successor on the same spool
/// does not repeat a delivery that has succeeded (IM-27).
///
/// It stands on both sides of the queue manager: [#watching] sees the orders, [#accept] sees the
/// answers. An outcome that the failed queue manager did not process is found here even if its
/// event was lost with the inbox. Only outcomes that a remote host or a mailbox gave are recorded;
/// every other delivery is repeated, as after a restart of the process.
///
/// **Order of a restart**: the loop has ended, [#queueManagerFailed], carriers and dispatcher are
/// closed, [#finish], and only then the successor starts.
///
/// A server with one queue manager ends with it, and needs none of this: [#begin] starts the watch.
/// Deliveries that began before it are repeated after a failure.
public final class DeliveriesUnderWay implements Consumer<QmgrEvent> {
    private static final Logger log = LoggerFactory.getLogger(DeliveriesUnderWay.class);

    private final Consumer<QmgrEvent> answers;
    private OrderSink sink = _ -> {};

    // Guarded by this.
    private final Map<QueueId, OfMessage> messages = new HashMap<>();
    private final Map<Long, QueueId> byNumber = new HashMap<>();
    /// Records that the spool has not confirmed.
    private final Set<Long> recording = new HashSet<>();
    private long records;
    private boolean failed;
    private volatile boolean begun;

    /// @param attempted an attempt is counted in this activation
    private record OfMessage(Map<Long, OneDelivery> deliveries, boolean attempted) {}

    /// @param outcomes empty as long as there is no result
    private record OneDelivery(List<Recipient> recipients, Optional<List<RecipientOutcome>> outcomes) {}

    /// @param answers the inbox of the queue manager
    public DeliveriesUnderWay(Consumer<QmgrEvent> answers) {
        this.answers = answers;
    }

    /// From now on deliveries are watched.
    public void begin() {
        begun = true;
    }

    /// The dispatcher, with this observer before it.
    public OrderSink watching(OrderSink dispatcher) {
        sink = dispatcher;
        return order -> {
            if (begun) {
                note(order);
            }
            dispatcher.order(order);
        };
    }

    private synchronized void note(QmgrOrder order) {
        switch (order) {
            case QmgrOrder.Deliver deliver when !deliver.delivery().probe() -> {
                byNumber.put(deliver.delivery().number(), deliver.id());
                messages.computeIfAbsent(deliver.id(), _ -> new OfMessage(new HashMap<>(), false)).deliveries()
                        .put(deliver.delivery().number(), new OneDelivery(deliver.recipients(), Optional.empty()));
            }
            case QmgrOrder.RecordOutcome record -> recorded(record);
            case QmgrOrder.Defer defer -> forget(defer.id());
            case QmgrOrder.Remove remove -> forget(remove.id());
            case QmgrOrder.SetHold hold -> forget(hold.id());
            case QmgrOrder.MoveOut move -> forget(move.id());
            default -> {
                // It ends no delivery.
            }
        }
    }

    private void recorded(QmgrOrder.RecordOutcome record) {
        recording.add(record.record());
        OfMessage message = messages.get(record.id());
        if (message == null) {
            return;
        }
        Set<Integer> done = record.outcomes().stream().map(RecipientOutcome::number).collect(Collectors.toSet());
        message.deliveries().entrySet().removeIf(each -> {
            boolean ended = each.getValue().recipients().stream().anyMatch(one -> done.contains(one.number()));
            if (ended) {
                byNumber.remove(each.getKey());
            }
            return ended;
        });
        if (record.attempt()) {
            messages.put(record.id(), new OfMessage(message.deliveries(), true));
        }
    }

    private void forget(QueueId id) {
        OfMessage message = messages.remove(id);
        if (message != null) {
            byNumber.keySet().removeAll(message.deliveries().keySet());
        }
    }

    /// An event for the queue manager.
    @Override
    public void accept(QmgrEvent event) {
        if (!begun) {
            answers.accept(event);
            return;
        }
        switch (event) {
            case QmgrEvent.DeliveryDone(DeliveryResult.Answered answered) -> keep(answered);
            case QmgrEvent.OutcomeRecorded recorded -> confirmed(recorded);
            default -> {
                // It says nothing about a delivery's outcome.
            }
        }
        answers.accept(event);
    }

    private void keep(DeliveryResult.Answered answered) {
        List<QmgrOrder> toRecord = List.of();
        synchronized (this) {
            QueueId id = byNumber.get(answered.delivery());
            OfMessage message = id == null ? null : messages.get(id);
            OneDelivery delivery = message == null ? null : message.deliveries().get(answered.delivery());
            if (id == null || message == null || delivery == null) {
                return;
            }
            message.deliveries().put(answered.delivery(),
                    new OneDelivery(delivery.recipients(), Optional.of(answered.outcomes())));
            if (failed) {
                toRecord = withResult(id, message);
            }
        }
        toRecord.forEach(sink::order);
    }

    private synchronized void confirmed(QmgrEvent.OutcomeRecorded recorded) {
        if (recording.remove(recorded.record())) {
            notifyAll();
        }
    }

    /// The queue manager has failed: results that it did not record are recorded now, and later ones
    /// as they come.
    public void queueManagerFailed() {
        List<QmgrOrder> toRecord = new ArrayList<>();
        synchronized (this) {
            failed = true;
            List.copyOf(messages.entrySet())
                    .forEach(each -> toRecord.addAll(withResult(each.getKey(), each.getValue())));
        }
        toRecord.forEach(sink::order);
    }

    /// Takes out the deliveries of this message that have a result.
    private List<QmgrOrder> withResult(QueueId id, OfMessage message) {
        List<QmgrOrder> orders = new ArrayList<>();
        boolean attempted = message.attempted();
        for (var each : List.copyOf(message.deliveries().entrySet())) {
            if (each.getValue().outcomes().isPresent()) {
                message.deliveries().remove(each.getKey());
                byNumber.remove(each.getKey());
                QmgrOrder.RecordOutcome order = order(id, each.getValue().recipients(),
                        each.getValue().outcomes().get(), attempted);
                attempted |= order.attempt();
                orders.add(order);
            }
        }
        messages.put(id, new OfMessage(message.deliveries(), attempted));
        return orders;
    }

    private QmgrOrder.RecordOutcome order(QueueId id, List<Recipient> recipients, List<RecipientOutcome> outcomes,
            boolean attempted) {
        Map<Integer, RecipientOutcome> byRecipient = outcomes.stream()
                .collect(Collectors.toMap(RecipientOutcome::number, each -> each, (first, _) -> first));
        List<Recipient> decided = recipients.stream().filter(each -> byRecipient.containsKey(each.number())).toList();
        List<RecipientOutcome> inOrder = decided.stream()
                .flatMap(each -> Optional.ofNullable(byRecipient.get(each.number())).stream()).toList();
        boolean attempt = !attempted && inOrder.stream().anyMatch(each -> each.outcome() instanceof Outcome.Deferred);
        // The failed queue manager counted from 1 up.
        long record = --records;
        recording.add(record);
        return new QmgrOrder.RecordOutcome(id, record, decided, inOrder, attempt);
    }

    /// Waits until the outcomes are in the log. Call it after the carriers and the dispatcher are
    /// closed, so that no further result comes.
    ///
    /// @return false when the time limit was too short
    public synchronized boolean finish(Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!recording.isEmpty()) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                log.warn("event=deliveries-unfinished next=\"they will be tried again\"");
                return false;
            }
            wait(left);
        }
        return true;
    }
}
