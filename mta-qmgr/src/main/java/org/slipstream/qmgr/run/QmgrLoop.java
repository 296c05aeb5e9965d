package org.slipstream.qmgr.run;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.QmgrSnapshot;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// Runs the queue manager on its one thread, the platform thread `qmgr-0`: take what the inbox has, read the time once,
/// absorb it all, choose once, hand the orders to the desk.
///
/// The desk is an [OrderSink] that only enqueues; it is called on this thread after the queue manager has finished, never
/// from inside it.
///
/// **When something breaks.** An event that cannot happen was refused before it changed anything: it is logged with what is known
/// of the message it speaks of, that message is set aside (held, so that an operator can look at it and release it), and the loop
/// goes on. Any other exception leaves a state that nobody can vouch for. The loop then ends, after handing over the
/// orders of the events before (outcomes that happened are to be recorded), and tells its owner, who ends the server.
/// Nothing is lost by that: the spool has every message, and a restart begins from there.
public final class QmgrLoop {
    private static final Logger log = LoggerFactory.getLogger(QmgrLoop.class);

    // A clock that is set forward is noticed after this time at the latest.
    private static final long LONGEST_WAIT_MILLIS = 10_000;

    private final QueueManager brain;
    private final Inbox inbox;
    private final OrderSink dispatcher;
    private final LongSupplier clockMillis;
    private final Consumer<Throwable> broken;
    private final Thread thread;
    private final List<QmgrOrder> orders = new ArrayList<>();
    private volatile boolean stopWhenQuiet;
    private volatile boolean stopNow;
    private volatile boolean behindArrivals;

    /// @param dispatcher takes orders and only enqueues them
    /// @param broken told on the loop's thread when the loop has ended by an exception
    public QmgrLoop(QueueManager brain, Inbox inbox, OrderSink dispatcher, LongSupplier clockMillis,
            Consumer<Throwable> broken) {
        this.brain = brain;
        this.inbox = inbox;
        this.dispatcher = dispatcher;
        this.clockMillis = clockMillis;
        this.broken = broken;
        this.thread = Thread.ofPlatform().name("qmgr-0").unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /// Mail arrives faster than it is taken in, as of the last turn: the door should make whoever brings more wait for a
    /// moment (Postfix `in_flow_delay`, PF-31). May be asked on any thread.
    public boolean isBehindArrivals() {
        return behindArrivals;
    }

    /// Asks on the queue manager's thread, for instance for a snapshot.
    public <T> CompletableFuture<T> inspect(Function<QueueManager, T> question) {
        return inbox.inspect(question);
    }

    /// Begins nothing new, lets what runs finish and be recorded for as long as `patience` lasts, then ends the thread.
    /// True when all was finished.
    public boolean stop(Duration patience) throws InterruptedException {
        stopWhenQuiet = true;
        inbox.answer(new QmgrEvent.Stopping());
        boolean quiet = thread.join(patience);
        stopNow = true;
        inbox.wake();
        thread.join();
        return quiet;
    }

    private void run() {
        try {
            while (!stopNow && !(stopWhenQuiet && brain.isQuiet())) {
                turn(inbox.take(waitMillis()));
            }
        } catch (InterruptedException stop) {
            log.debug("interrupted");
        } catch (RuntimeException | Error trouble) {
            log.error("msg=\"the queue manager is broken and stops; a restart goes on from the disk\"", trouble);
            inbox.close();
            broken.accept(trouble);
        } finally {
            inbox.close();
        }
    }

    private long waitMillis() {
        // At least a moment: an alarm in the past must never make this a busy loop.
        return Math.clamp(brain.nextAlarmMillis() - clockMillis.getAsLong(), 1, LONGEST_WAIT_MILLIS);
    }

    private void turn(List<Inbox.Item> items) {
        long now = clockMillis.getAsLong();
        try {
            for (Inbox.Item item : items) {
                switch (item) {
                    case Inbox.Item.Event event -> absorb(event.event(), now);
                    case Inbox.Item.Inspection<?> inspection -> inspection.run(brain);
                }
            }
            if (brain.nextAlarmMillis() <= now) {
                absorb(new QmgrEvent.Alarm(), now);
            }
            whole(() -> brain.pump(now, orders::add));
            behindArrivals = brain.isBehindArrivals();
        } finally {
            orders.forEach(dispatcher::order);
            orders.clear();
        }
    }

    private void absorb(QmgrEvent event, long now) {
        try {
            whole(() -> brain.absorb(event, now, orders::add));
        } catch (ImpossibleEventException impossible) {
            log.error("msg=\"event refused\" event=\"{}\"", LogText.text(event.toString()), impossible);
            impossible.about().ifPresent(id -> setAside(id, now));
        } catch (RuntimeException | Error trouble) {
            log.error("msg=\"event failed\" event=\"{}\"", LogText.text(event.toString()));
            throw trouble;
        }
    }

    // Two sides disagree about this message, and nobody can say who is right. What is under way is finished and recorded;
    // nothing new is begun, and it is kept until somebody has looked at it.
    private void setAside(QueueId id, long now) {
        log.error(
                "queue={} msg=\"set aside after an event that cannot happen; release it when it is understood\" state=\"{}\"",
                id, LogText.text(brain.about(id, now).map(QmgrSnapshot.ActiveMessage::toString).orElse("not active")));
        absorb(new QmgrEvent.Operator(new QmgrEvent.OperatorCommand.Hold(id)), now);
    }

    // Orders of a step that failed half way are not given; those before an event that was refused are.
    private void whole(Runnable step) {
        int before = orders.size();
        try {
            step.run();
        } catch (ImpossibleEventException refused) {
            throw refused;
        } catch (RuntimeException | Error trouble) {
            orders.subList(before, orders.size()).clear();
            throw trouble;
        }
    }
}
