package org.slipstream.qmgr.run;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.QueueQueries;
import org.slipstream.qmgr.QueueQueries.ConnectionsInUse;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.trace.QmgrObserver;
import org.slipstream.qmgr.trace.QmgrSnapshot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// Runs the queue manager on its thread, the platform thread `qmgr-<shard>`. Each turn takes all items of
/// the inbox, reads the clock once, absorbs the events, pumps once, and passes the orders to the
/// dispatcher.
///
/// The dispatcher is an [OrderSink] that only enqueues; it is called on this thread after the queue
/// manager has returned.
///
/// **Failures.** An event that cannot occur was refused before it changed anything: it is logged
/// with the state of its message, the message is put on hold for an operator, and the loop
/// continues. A message whose data cannot be processed is put on hold by the queue manager. Any other
/// exception leaves an unknown state. The loop then ends, after it has passed on the orders of earlier
/// events (outcomes that occurred are to be recorded), and notifies its owner, which stops the server.
/// The last order puts the message on hold that the queue manager had in hand, so that a restart does
/// not meet it again. No mail is lost: the spool has every message, and a restart begins from
/// there.
public final class QmgrLoop {
    private static final Logger log = LoggerFactory.getLogger(QmgrLoop.class);

    /// The author of a hold by this class.
    private static final String SERVER = "the server";

    // A clock that is set forward is noticed within this time.
    private static final long LONGEST_WAIT_MILLIS = 10_000;

    private final QueueManager queueManager;
    private final Inbox inbox;
    private final OrderSink dispatcher;
    private final LongSupplier clockMillis;
    private final Consumer<Throwable> onFailure;
    private final QmgrObserver observer;
    private final Thread thread;
    private final List<QmgrOrder> orders = new ArrayList<>();
    private final StuckWatch stuckWatch = new StuckWatch();
    private final ArrivalWatch arrivalWatch = new ArrivalWatch();
    private volatile boolean stopWhenQuiet;
    private volatile boolean stopNow;
    private volatile boolean behindArrivals;
    private volatile ConnectionsInUse inUse = new ConnectionsInUse(0, 0);

    /// @param dispatcher accepts orders and only enqueues them
    /// @param onFailure called on the loop's thread when the loop has ended with an exception
    public QmgrLoop(QueueManager queueManager, Inbox inbox, OrderSink dispatcher, LongSupplier clockMillis,
            Consumer<Throwable> onFailure) {
        this(queueManager, inbox, dispatcher, clockMillis, onFailure, QmgrObserver.NOTHING);
    }

    /// @param observer of the input and the output
    public QmgrLoop(QueueManager queueManager, Inbox inbox, OrderSink dispatcher, LongSupplier clockMillis,
            Consumer<Throwable> onFailure, QmgrObserver observer) {
        this.observer = observer;
        this.queueManager = queueManager;
        this.inbox = inbox;
        this.dispatcher = dispatcher;
        this.clockMillis = clockMillis;
        this.onFailure = onFailure;
        this.thread = Thread.ofPlatform().unstarted(this::run);
    }

    public void start() {
        start(1);
    }

    /// @param shard the number of the queue, for the name of the thread
    public void start(int shard) {
        thread.setName("qmgr-" + shard);
        thread.start();
    }

    /// True when mail arrived faster than it was admitted, as of the last turn: the SMTP server
    /// should delay clients for a moment (Postfix `in_flow_delay`, PF-31). Thread-safe.
    public boolean isBehindArrivals() {
        return behindArrivals;
    }

    /// Connections at work, of the local transport and of all others, as of the last turn: the load
    /// of a shard. Thread-safe.
    public ConnectionsInUse inUse() {
        return inUse;
    }

    /// Messages that waited for a minute although nothing held them, since the start. Thread-safe.
    public long stuckMessages() {
        return stuckWatch.count();
    }

    /// Those of them that still wait, as of the latest minute. Thread-safe.
    public int stuckNow() {
        return stuckWatch.now();
    }

    /// Runs a query on the queue manager's thread, for example for a snapshot.
    public <T> CompletableFuture<T> inspect(Function<QueueQueries, T> question) {
        return inbox.inspect(question);
    }

    /// Starts nothing new, waits up to `timeout` for running deliveries to finish and be recorded,
    /// then ends the thread. True when all finished.
    public boolean stop(Duration timeout) throws InterruptedException {
        stopWhenQuiet = true;
        inbox.answer(new QmgrEvent.Stopping());
        boolean quiet = thread.join(timeout);
        stopNow = true;
        inbox.wake();
        thread.join();
        return quiet;
    }

    private void run() {
        try {
            while (!stopNow && !(stopWhenQuiet && queueManager.isQuiet())) {
                runOnce(inbox.take(waitMillis()));
            }
        } catch (InterruptedException stop) {
            log.debug("event=queue-manager-interrupted");
        } catch (RuntimeException | Error failure) {
            log.error(
                    "event=queue-manager-failed error=\"{}\" next=\"a restart resumes from the spool\"",
                    LogText.text(FailureWords.of(failure)), failure);
            if (failure instanceof RuntimeException cause) {
                queueManager.inHand().ifPresent(id -> holdAfter(id, cause));
            }
            inbox.close();
            onFailure.accept(failure);
        } finally {
            inbox.close();
        }
    }

    private void holdAfter(QueueId id, RuntimeException cause) {
        try {
            tell(id, cause);
            dispatcher.order(new QmgrOrder.Instruct(id,
                    hold(because(cause)).instruction(clockMillis.getAsLong()).orElseThrow(),
                    QmgrEvent.Operator.NO_TICKET));
        } catch (RuntimeException next) {
            // The owner still has to be notified.
            cause.addSuppressed(next);
        }
    }

    private long waitMillis() {
        // At least one millisecond, so that an alarm in the past cannot cause a busy loop.
        return Math.clamp(queueManager.nextAlarmMillis() - clockMillis.getAsLong(), 1, LONGEST_WAIT_MILLIS);
    }

    private void runOnce(List<Inbox.InboxItem> items) {
        long now = clockMillis.getAsLong();
        try {
            for (Inbox.InboxItem item : items) {
                switch (item) {
                    case Inbox.InboxItem.Event event -> absorb(event.event(), now);
                    case Inbox.InboxItem.Inspection<?> inspection -> inspection.run(queueManager.queries());
                }
            }
            if (queueManager.nextAlarmMillis() <= now) {
                absorb(new QmgrEvent.Alarm(), now);
            }
            observer.pumps(now);
            allOrNothing(() -> queueManager.pump(now, orders::add), now);
            queueManager.takeFailedMessages().forEach((id, failure) -> {
                tell(id, failure);
                putOnHold(id, because(failure), now);
            });
            behindArrivals = queueManager.isBehindArrivals();
            inUse = queueManager.queries().inUse();
            stuckWatch.look(queueManager, now);
            arrivalWatch.look(queueManager);
        } finally {
            orders.forEach(dispatcher::order);
            orders.clear();
        }
    }

    private void absorb(QmgrEvent event, long now) {
        try {
            observer.happened(now, event);
            allOrNothing(() -> queueManager.absorb(event, now, orders::add), now);
        } catch (ImpossibleEventException impossible) {
            log.error("event=input-refused input=\"{}\" error=\"{}\"", LogText.text(event.toString()),
                    LogText.text(FailureWords.of(impossible)), impossible);
            impossible.about().ifPresent(id -> setAside(id, now));
        } catch (RuntimeException | Error failure) {
            log.error("event=input-failed input=\"{}\" error=\"{}\"", LogText.text(event.toString()),
                    LogText.text(FailureWords.of(failure)));
            throw failure;
        }
    }

    private static void tell(QueueId id, RuntimeException failure) {
        log.error("event=message-put-on-hold queue={} reason=\"it cannot be processed\" error=\"{}\""
                + " next=\"see explain; delete it, or release it with another instruction\"", id,
                LogText.text(FailureWords.of(failure)), failure);
    }

    // The queue manager and the sender of the event disagree about this message. Running deliveries
    // finish and are recorded, nothing new starts, and the message stays on hold until an operator
    // has examined it.
    private void setAside(QueueId id, long now) {
        log.error(
                "event=message-put-on-hold queue={} reason=\"inconsistent event\" state=\"{}\" next=\"release it after examination\"",
                id, LogText.text(
                        queueManager.queries().about(id, now).map(QmgrSnapshot.ActiveMessage::toString)
                                .orElse("not active")));
        putOnHold(id, "an inconsistent event; the log has it", now);
    }

    private void putOnHold(QueueId id, String reason, long now) {
        absorb(new QmgrEvent.Operator(new QmgrEvent.OperatorCommand.OfMessage(id, hold(reason))), now);
    }

    private static String because(RuntimeException failure) {
        return "it cannot be processed: " + LogText.text(FailureWords.of(failure));
    }

    private static MessageOrder hold(String reason) {
        return new MessageOrder.Hold(reason, SERVER);
    }

    // Orders of a step that failed are discarded; those before a refused event are kept.
    private void allOrNothing(Runnable step, long now) {
        int before = orders.size();
        try {
            step.run();
        } catch (ImpossibleEventException refused) {
            throw refused;
        } catch (RuntimeException | Error failure) {
            orders.subList(before, orders.size()).clear();
            throw failure;
        } finally {
            for (int i = before; i < orders.size(); i++) {
                observer.ordered(now, orders.get(i));
            }
        }
    }
}
