package org.slipstream.qmgr.admit;

import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.QueueName;
import org.slipstream.qmgr.event.ActivationOrder;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.message.ActiveSet;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settle.Completion;
import org.slipstream.qmgr.settle.RetrySchedule;
import org.slipstream.qmgr.settle.Scans;

import java.util.Optional;

/// Lets messages into the active set: announced ones and those that a scan of the spool finds.
///
/// The active set has a limit, and new and deferred mail alternate ([ActivationOrder]). A message that finds no place
/// stays on disk, and a scan finds it when there is one.
public final class MessageAdmission {
    /// Deferred mail in the active set, in multiples of the scan limit, while all connections are
    /// busy.
    private static final int DEFERRED_AHEAD = 2;

    private QmgrConfig config;
    private final StepContext step;
    private final Scans scans;
    private final RetrySchedule retrySchedule;
    private final ActiveSet active;
    private final Scheduler scheduler;
    private final Completion completion;
    private final PendingArrivals pendingArrivals;
    private final ActivationOrder order;
    private final InFlowControl inFlow;
    private final UnannouncedMail unannounced = new UnannouncedMail();

    /// False when the caller supplies the sources of messages: then nothing is scanned.
    private final boolean scanning;
    private boolean idleLanes = true;
    private boolean stopping;

    /// @param order the caller's sources of messages; empty: announcements and scans
    public MessageAdmission(QmgrConfig config, StepContext step, Scans scans, RetrySchedule retrySchedule,
            ActiveSet active,
            Scheduler scheduler, Completion completion, Optional<ActivationOrder> order) {
        this.config = config;
        this.step = step;
        this.scans = scans;
        this.retrySchedule = retrySchedule;
        this.active = active;
        this.scheduler = scheduler;
        this.completion = completion;
        this.pendingArrivals = new PendingArrivals(Math.max(1, config.scanLimit()));
        this.order = order.orElseGet(pendingArrivals::admission);
        this.order.change(config.queue().pickUp());
        this.scanning = order.isEmpty();
        this.inFlow = new InFlowControl(config.lanes());
    }

    public void change(QmgrConfig settings) {
        if (settings.queue().pickUp() != config.queue().pickUp()) {
            order.change(settings.queue().pickUp());
        }
        config = settings;
        retrySchedule.change(settings);
        scans.change(settings);
        inFlow.change(settings.lanes());
    }

    public void stops() {
        stopping = true;
    }

    public boolean isBehind() {
        return inFlow.isBehind();
    }

    public PendingArrivals pendingArrivals() {
        return pendingArrivals;
    }

    public UnannouncedMail unannounced() {
        return unannounced;
    }

    /// @param idle some connections are not in use
    public void hasIdleLanes(boolean idle) {
        idleLanes = idle;
    }

    // ---- passing

    /// Orders a scan, when one is due and there is room for what it finds.
    public void scanIfDue() {
        if (scanning) {
            scans.next(step.nowMillis(), this::freeForScan).ifPresent(this::scan);
        }
    }

    /// @param frozen no message is admitted
    public long nextMillis(boolean frozen) {
        long next = unannounced.nextMillis();
        return scanning && !frozen ? Math.min(next, scans.nextMillis(this::freeForScan)) : next;
    }

    /// One pass. False when no message waits, or the active set is full.
    public boolean pass(long nowMillis) {
        return order.pass(this::freeActive, nowMillis, this::admit);
    }

    /// All that waits has had its pass.
    public void passed() {
        if (pendingArrivals.hasNoNew() && !scans.isBehind()) {
            inFlow.caughtUp();
        }
    }

    // ---- arrivals

    public void missed() {
        inFlow.missed();
        leftInSpool();
    }

    int freeActive() {
        return config.activeLimit() - active.size();
    }

    /// Limits how far deferred mail is admitted ahead of deliveries: active mail is served in the
    /// order of its admission, so new mail would wait behind all of it. When connections are idle,
    /// because active mail cannot be delivered at present, the active limit alone applies.
    private int freeForScan(QueueName queue) {
        int freeActive = freeActive() - pendingArrivals.size();
        return queue == QueueName.INCOMING || idleLanes
                ? freeActive
                : Math.min(freeActive,
                        DEFERRED_AHEAD * config.scanLimit() - active.tried() - pendingArrivals.deferred());
    }

    private boolean isKnown(QueueId id) {
        return active.contains(id) || completion.pendingFilings().contains(id) || pendingArrivals.contains(id);
    }

    public void queued(MessageSummary summary) {
        if (unannounced.announced(summary.id()) || isKnown(summary.id())) {
            return;
        }
        if (summary.isForLater(step.nowMillis())) {
            // RFC 4865: the message stays on disk, and a scan finds it when it is due.
            scans.dueAt(QueueName.INCOMING, summary.releaseMillis());
            return;
        }
        inFlow.arrived();
        if (stopping || pendingArrivals.isFull()) {
            leftInSpool();
        } else {
            pendingArrivals.enter(summary, true);
        }
    }

    private void leftInSpool() {
        unannounced.refused();
        scans.leftInSpool(step.nowMillis());
    }

    private void scan(QmgrOrder.Scan scan) {
        if (scan.queue() == QueueName.INCOMING) {
            unannounced.scanBegins(step.nowMillis());
        }
        step.order(scan);
    }

    public void scanned(QmgrEvent.ScanDone done) {
        QueueName queue = scans.answered();
        for (MessageSummary summary : done.found()) {
            if (!stopping && !isKnown(summary.id()) && !isHeld(summary)) {
                // After a crash between an attempt and its deferral, a tried message is in the
                // incoming queue.
                boolean isNew = queue == QueueName.INCOMING && summary.attempts() == 0;
                pendingArrivals.enter(summary, isNew);
                if (isNew) {
                    unannounced.found(summary, step.nowMillis());
                }
            }
        }
        if (queue == QueueName.INCOMING) {
            unannounced.scanned(done.more());
        }
        scans.plan(queue, done, step.nowMillis());
    }

    // New mail is announced like any other; the time of other mail is known to the next scan.
    public void movedIn(QmgrEvent.MovedIn moved) {
        MessageSummary message = moved.message();
        completion.movedIn(moved);
        if (message.attempts() == 0 && !message.held() && moved.nextAttemptMillis() <= step.nowMillis()) {
            queued(message);
        }
    }

    private boolean isHeld(MessageSummary summary) {
        return summary.held() && !retrySchedule.isExpired(summary.sender().isEmpty(), summary.attempts() > 0,
                summary.releaseMillis(), step.nowMillis());
    }

    private void admit(MessageSummary summary) {
        Activation message = new Activation(summary,
                scheduler.admit(summary.id(), step.nowMillis(), summary.recipients(), summary.open()),
                completion.takeFailures(summary.id()));
        active.enter(message);
        if (summary.attempts() == 0) {
            inFlow.admitted();
        }
        completion.settle(message);
    }
}
