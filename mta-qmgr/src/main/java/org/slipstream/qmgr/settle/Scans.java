package org.slipstream.qmgr.settle;

import org.slipstream.core.queue.QueueName;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settings.QmgrConfig;

import java.util.Optional;
import java.util.function.ToIntFunction;

/// Plans the scans of the spool for due messages, and selects the queue of each.
///
/// New mail is announced, so scans serve deferred mail, mail from before a restart, and arrivals
/// that found no free place. Postfix scans every 300 s in any case, and rounds every retry up to
/// that. Here the time of the next scan is known ([ScanPlan]): the earliest next attempt that the
/// spool reported or that was filed since. The interval remains as an upper bound.
///
/// **Two queues** (Postfix, PF-28). A single scan returns the oldest due mail first, so new mail
/// that found no free place would come after every older deferred message. Therefore a scan covers
/// one queue, incoming or deferred. Each queue has its own plan and its own limit. When both are
/// due they alternate, so neither waits for more than one scan of the other.
///
/// **One scan at a time.** A scan postpones the next attempt of its messages on disk (the lease),
/// so a second scan of the same queue could only find other messages.
///
/// **Reserve for arrivals.** A scan requests at most half of the free places: mail that arrives
/// during the scan finds the other half.
public final class Scans {
    private static final long NEVER = ScanPlan.NEVER;

    private QmgrConfig config;
    private final RetrySchedule retrySchedule;
    private final ScanPlan incoming;
    private final ScanPlan deferred;

    /// The queue of the unanswered scan.
    private Optional<QueueName> underWay = Optional.empty();
    private QueueName preferred = QueueName.INCOMING;

    public Scans(QmgrConfig config, RetrySchedule retrySchedule) {
        this.config = config;
        this.retrySchedule = retrySchedule;
        this.incoming = new ScanPlan(config);
        this.deferred = new ScanPlan(config);
    }

    public void change(QmgrConfig settings) {
        config = settings;
        incoming.change(settings);
        deferred.change(settings);
    }

    /// A message of this queue will be due at this time.
    public void dueAt(QueueName queue, long millis) {
        plan(queue).dueAt(millis);
    }

    /// An operator made messages due.
    void now() {
        incoming.now();
        deferred.now();
    }

    /// New mail found no free place.
    public void leftInSpool(long nowMillis) {
        incoming.leftInSpool(nowMillis);
    }

    /// True when due new mail may still be on disk only.
    public boolean isBehind() {
        return incoming.hasBacklog() || underWay.equals(Optional.of(QueueName.INCOMING));
    }

    boolean isUnderWay() {
        return underWay.isPresent();
    }

    /// The scan to order now, if any.
    ///
    /// @param free free places for mail of this queue
    public Optional<QmgrOrder.Scan> next(long nowMillis, ToIntFunction<QueueName> free) {
        incoming.noticeClockSetBack(nowMillis);
        deferred.noticeClockSetBack(nowMillis);
        if (underWay.isPresent()) {
            return Optional.empty();
        }
        QueueName first = preferred;
        QueueName queue = isDue(first, nowMillis, free) ? first : other(first);
        return isDue(queue, nowMillis, free)
                ? Optional.of(begin(queue, nowMillis, free.applyAsInt(queue)))
                : Optional.empty();
    }

    private boolean isDue(QueueName queue, long nowMillis, ToIntFunction<QueueName> free) {
        return plan(queue).nextMillis(free.applyAsInt(queue)) <= nowMillis;
    }

    private QmgrOrder.Scan begin(QueueName queue, long nowMillis, int free) {
        ScanPlan plan = plan(queue);
        underWay = Optional.of(queue);
        preferred = other(queue);
        plan.begin(nowMillis);
        int limit = Math.clamp(free / 2, 1, Math.max(1, config.scanLimit()));
        return new QmgrOrder.Scan(queue, limit, nowMillis, nowMillis + plan.leaseMillis(),
                retrySchedule.expiryHorizonMillis(nowMillis),
                plan.bringsForward(nowMillis) ? retrySchedule.furthestMillis(nowMillis) : Long.MAX_VALUE);
    }

    /// @return the queue that was scanned
    public QueueName answered() {
        QueueName queue = underWay.orElseThrow(() -> new ImpossibleEventException("no scan was ordered"));
        underWay = Optional.empty();
        return queue;
    }

    /// Plans the next scan.
    public void plan(QueueName queue, QmgrEvent.ScanDone done, long nowMillis) {
        plan(queue).plan(done.more() && !done.found().isEmpty(),
                done.more() ? nowMillis : done.nextDueMillis().orElse(NEVER), nowMillis);
    }

    /// The expected time of the next scan.
    public long nextMillis(ToIntFunction<QueueName> free) {
        return underWay.isPresent()
                ? NEVER
                : Math.min(incoming.nextMillis(free.applyAsInt(QueueName.INCOMING)),
                        deferred.nextMillis(free.applyAsInt(QueueName.DEFERRED)));
    }

    private ScanPlan plan(QueueName queue) {
        return queue == QueueName.INCOMING ? incoming : deferred;
    }

    private static QueueName other(QueueName queue) {
        return queue == QueueName.INCOMING ? QueueName.DEFERRED : QueueName.INCOMING;
    }
}
