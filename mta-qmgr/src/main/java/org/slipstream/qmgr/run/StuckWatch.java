package org.slipstream.qmgr.run;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.trace.QmgrSnapshot;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/// Finds messages that wait although all gates are open. Each is counted and logged once: such a
/// message is a fault of the queue manager, and a restart delivers it.
///
/// One question a minute costs less than a scan of the queue, so the watch is always on. A message
/// is reported when two questions in succession find it, so it has waited for a minute.
final class StuckWatch {
    static final long INTERVAL_MILLIS = 60_000;
    private static final int MOST_REPORTED = 1_000;
    private static final Logger log = LoggerFactory.getLogger(StuckWatch.class);

    private final AtomicLong count = new AtomicLong();
    private volatile int now;
    private final Set<QueueId> reported = new LinkedHashSet<>();
    private Set<QueueId> suspects = Set.of();
    private long nextMillis = Long.MIN_VALUE;

    /// The number of messages that were found since the start. Thread-safe.
    long count() {
        return count.get();
    }

    /// The messages that the latest question found, and the one before it. Thread-safe.
    int now() {
        return now;
    }

    /// To be called after each turn of the loop. Asks at most once a minute.
    ///
    /// @return the messages that this call reported
    List<QueueId> look(QueueManager manager, long nowMillis) {
        if (nowMillis < nextMillis && nextMillis - nowMillis <= INTERVAL_MILLIS) {
            return List.of();
        }
        nextMillis = nowMillis + INTERVAL_MILLIS;
        List<QueueId> logged = new ArrayList<>();
        Set<QueueId> found = new LinkedHashSet<>();
        manager.overlooked(nowMillis).limit(MOST_REPORTED).forEach(entry -> {
            QueueId id = entry.message().id();
            found.add(id);
            if (suspects.contains(id) && reported.size() < MOST_REPORTED && reported.add(id)) {
                logged.add(id);
                report(id, entry.queue(), manager.queries().about(id, nowMillis));
            }
        });
        now = (int) found.stream().filter(suspects::contains).count();
        suspects = found;
        return logged;
    }

    private void report(QueueId id, DestinationQueue queue, Optional<QmgrSnapshot.ActiveMessage> state) {
        count.incrementAndGet();
        log.error("event=message-stuck queue={} destination={} state=\"{}\" next=\"a restart delivers it\"", id,
                LogText.word(queue.toString()), LogText.text(state.map(Object::toString).orElse("not active")));
    }
}
