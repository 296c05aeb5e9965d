package org.slipstream.qmgr;

import org.slipstream.core.QueueName;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.Optional;
import java.util.function.ToIntFunction;

/// When to look into the spool for messages whose time has come, and in which queue.
///
/// New mail announces itself, so a scan is for what sleeps: deferred mail, what a restart left behind, arrivals that found
/// no room. The original looks every 300 s whether or not there is anything, and rounds every retry up to that. Here the
/// time of the next scan is known ([ScanPlan]): the earliest next attempt that the spool told of or that was filed since. The
/// interval remains as a safety net.
///
/// **Two queues** (Postfix, PF-28). A single scan returns the oldest due mail first, so new mail that found no room comes after every
/// older deferred message. Therefore a scan looks through one queue, incoming or deferred. Each queue has its own plan and its own room.
/// When both are to be scanned they alternate, so neither waits for more than one scan of the other.
///
/// **One at a time.** A scan moves the next attempt of what it finds forward on disk (the lease), so a second one of the same queue could only
/// find other messages; one outstanding scan is enough.
///
/// **Room for others.** A scan asks for half of the free room at most: mail that arrives while it is under way finds the other half.
final class Scans {
    private static final long NEVER = ScanPlan.NEVER;

    private final QmgrConfig config;
    private final RetrySchedule patience;
    private final ScanPlan incoming;
    private final ScanPlan deferred;

    /// The scan without an answer.
    private Optional<QueueName> underWay = Optional.empty();
    private QueueName preferred = QueueName.INCOMING;

    Scans(QmgrConfig config, RetrySchedule patience) {
        this.config = config;
        this.patience = patience;
        this.incoming = new ScanPlan(config);
        this.deferred = new ScanPlan(config);
    }

    /// Something in this queue will be due at this time.
    void dueAt(QueueName queue, long millis) {
        plan(queue).dueAt(millis);
    }

    /// An operator made something due.
    void now() {
        incoming.now();
        deferred.now();
    }

    /// New mail found no room.
    void leftOutside(long nowMillis) {
        incoming.leftOutside(nowMillis);
    }

    /// New mail that was left outside, or more than a scan could take, may still be on disk only.
    boolean isBehind() {
        return incoming.hasBacklog() || underWay.equals(Optional.of(QueueName.INCOMING));
    }

    /// The scan to order now, if any.
    ///
    /// @param room free places for mail of this queue
    Optional<QmgrOrder.Scan> next(long nowMillis, ToIntFunction<QueueName> room) {
        incoming.noticeClockSetBack(nowMillis);
        deferred.noticeClockSetBack(nowMillis);
        if (underWay.isPresent()) {
            return Optional.empty();
        }
        QueueName first = preferred;
        QueueName queue = isDue(first, nowMillis, room) ? first : other(first);
        return isDue(queue, nowMillis, room)
                ? Optional.of(begin(queue, nowMillis, room.applyAsInt(queue)))
                : Optional.empty();
    }

    private boolean isDue(QueueName queue, long nowMillis, ToIntFunction<QueueName> room) {
        return plan(queue).nextMillis(room.applyAsInt(queue)) <= nowMillis;
    }

    private QmgrOrder.Scan begin(QueueName queue, long nowMillis, int room) {
        ScanPlan plan = plan(queue);
        underWay = Optional.of(queue);
        preferred = other(queue);
        plan.begin(nowMillis);
        int limit = Math.clamp(room / 2, 1, Math.max(1, config.scanLimit()));
        return new QmgrOrder.Scan(queue, limit, nowMillis, nowMillis + plan.leaseMillis(),
                patience.expiryHorizonMillis(nowMillis),
                plan.bringsForward(nowMillis) ? patience.furthestMillis(nowMillis) : Long.MAX_VALUE);
    }

    /// @return the queue that was scanned
    QueueName answered() {
        QueueName queue = underWay.orElseThrow(() -> new ImpossibleEventException("no scan was ordered"));
        underWay = Optional.empty();
        return queue;
    }

    /// Plans the next one.
    void plan(QueueName queue, QmgrEvent.ScanDone done, long nowMillis) {
        plan(queue).plan(done.more() && !done.found().isEmpty(),
                done.more() ? nowMillis : done.nextDueMillis().orElse(NEVER), nowMillis);
    }

    /// When a scan is to be ordered, as far as can be foretold.
    long nextMillis(ToIntFunction<QueueName> room) {
        return underWay.isPresent()
                ? NEVER
                : Math.min(incoming.nextMillis(room.applyAsInt(QueueName.INCOMING)),
                        deferred.nextMillis(room.applyAsInt(QueueName.DEFERRED)));
    }

    private ScanPlan plan(QueueName queue) {
        return queue == QueueName.INCOMING ? incoming : deferred;
    }

    private static QueueName other(QueueName queue) {
        return queue == QueueName.INCOMING ? QueueName.DEFERRED : QueueName.INCOMING;
    }
}
