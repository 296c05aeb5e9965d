package org.slipstream.qmgr.dest;

import org.slipstream.core.Reply;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.sched.Scheduler;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The transports that failed as a whole, until their timer or the next success.
final class DeadTransports {
    private final Map<String, Reply> reasons = new LinkedHashMap<>();
    private final Scheduler scheduler;
    private final DestinationTimers timers;

    DeadTransports(Scheduler scheduler, DestinationTimers timers) {
        this.scheduler = scheduler;
        this.timers = timers;
    }

    /// The reason for which recipients are deferred without an attempt; empty while the transport works.
    Optional<Reply> suspension(String transport) {
        return Optional.ofNullable(reasons.get(transport)).map(Destination::suspended);
    }

    void broken(String transport, Reply reason, long untilMillis) {
        reasons.put(transport, reason);
        scheduler.setDead(transport, true);
        timers.plan(new DestinationTimers.TimerTarget.OfTransport(transport), untilMillis);
    }

    void works(String transport) {
        if (reasons.remove(transport) != null) {
            timers.cancel(new DestinationTimers.TimerTarget.OfTransport(transport));
            scheduler.setDead(transport, false);
        }
    }
}
