package org.slipstream.qmgr.dest;

import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.flow.Spacing;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.sched.OrderPolicy;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToIntFunction;

/// The spaced starts of all destinations ([Spacing]): the start slots of bulk mail, which keep the connections of a
/// destination from coming free all at once.
public final class SpacedStarts {
    private final Map<DestinationQueue, Spacing> spacings = new LinkedHashMap<>();
    private final Scheduler scheduler;
    private final DestinationTimers timers;
    private final ToIntFunction<DestinationQueue> slots;
    private final ToIntFunction<DestinationQueue> atWork;
    private final QmgrTrace trace;

    /// @param slots the window of a destination, as far as it may be used here
    /// @param atWork deliveries or connections that count against it
    SpacedStarts(Scheduler scheduler, DestinationTimers timers, ToIntFunction<DestinationQueue> slots,
            ToIntFunction<DestinationQueue> atWork, QmgrTrace trace) {
        this.scheduler = scheduler;
        this.timers = timers;
        this.slots = slots;
        this.atWork = atWork;
        this.trace = trace;
    }

    // Without preemption spacing has no benefit, and a rate delay already orders the starts.
    static boolean apply(QmgrConfig config, DestinationQueue queue, Destination destination) {
        return config.spacedStarts() && config.policy() == OrderPolicy.PREEMPTIVE
                && config.transport(queue.transport()).slotCost() > 1 && !destination.isRateLimited();
    }

    /// @param slotsChanged the price of a slot is another one
    void enter(DestinationQueue queue, boolean spaced, TransportSettings settings, boolean slotsChanged) {
        if (!spaced) {
            spacings.remove(queue);
        } else if (slotsChanged || !spacings.containsKey(queue)) {
            spacings.put(queue, new Spacing(settings.slotCost(), settings.slotLoan()));
        }
    }

    boolean isSpaced(DestinationQueue queue) {
        return spacings.containsKey(queue);
    }

    void leave(DestinationQueue queue) {
        spacings.remove(queue);
    }

    /// Remaining wait of a message for its start slot, although a seat is free; 0 when it may
    /// start.
    public long waitMillis(Message message, DestinationQueue queue, long nowMillis) {
        Spacing spacing = spacings.get(queue);
        if (spacing == null || !holdsBack(spacing, queue, nowMillis)) {
            return 0;
        }
        return isSingleDelivery(message, queue) && spacing.maySinglePass() ? 0 : spacing.turnMillis() - nowMillis;
    }

    /// Plans the timer for the next start slot.
    ///
    /// @param waitMillis see [#waitMillis]
    public void awaitTurn(DestinationQueue queue, long nowMillis, long waitMillis) {
        DestinationTimers.TimerTarget turn = new DestinationTimers.TimerTarget.OfTurn(queue);
        if (!timers.isPlanned(turn)) {
            timers.plan(turn, nowMillis + waitMillis);
            trace.startHeld(queue, nowMillis, nowMillis + waitMillis);
        }
    }

    /// True when the timer for the next start slot is planned.
    public boolean awaitsTurn(DestinationQueue queue) {
        return timers.isPlanned(new DestinationTimers.TimerTarget.OfTurn(queue));
    }

    /// A delivery of this message starts and takes a slot. True when its duration is to be
    /// measured.
    public boolean started(Message message, DestinationQueue queue, long nowMillis) {
        Spacing spacing = spacings.get(queue);
        if (spacing == null) {
            return false;
        }
        boolean crowded = isCrowded(queue);
        if (isSingleDelivery(message, queue)) {
            if (crowded) {
                if (!spacing.mayStart(nowMillis, slots.applyAsInt(queue), free(queue))) {
                    spacing.singlePassed();
                }
                spacing.singleStarted(nowMillis);
            }
            return false;
        }
        if (crowded) {
            spacing.started(nowMillis, slots.applyAsInt(queue));
        }
        return true;
    }

    public void took(DestinationQueue queue, long millis) {
        Spacing spacing = spacings.get(queue);
        // A change of settings may have ended the spacing.
        if (spacing != null) {
            spacing.took(millis);
        }
    }

    /// True when deliveries only wait for their slots.
    boolean holdsBack(DestinationQueue queue, long nowMillis) {
        Spacing spacing = spacings.get(queue);
        return spacing != null && holdsBack(spacing, queue, nowMillis);
    }

    private boolean holdsBack(Spacing spacing, DestinationQueue queue, long nowMillis) {
        return isCrowded(queue) && !spacing.mayStart(nowMillis, slots.applyAsInt(queue), free(queue));
    }

    private int free(DestinationQueue queue) {
        return slots.applyAsInt(queue) - atWork.applyAsInt(queue);
    }

    /// True when more entries wait than the window permits at once.
    private boolean isCrowded(DestinationQueue queue) {
        int most = slots.applyAsInt(queue);
        return most > 1 && queue.waiting() >= most;
    }

    /// True when the message has only one delivery left at this destination.
    private boolean isSingleDelivery(Message message, DestinationQueue queue) {
        return scheduler.entriesAt(message, queue) <= 1 && !message.isPartlyUnread();
    }
}
