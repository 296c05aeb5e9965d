package org.slipstream.qmgr.settle;

import org.slipstream.core.QueueId;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/// Failures of messages that wait for their next attempt, until their report is due (ZM-41). The
/// failures themselves are on disk: when this memory is lost or full, the report follows with the
/// next attempt, and none is lost.
public final class PendingReports {
    /// Bounds the memory. Beyond it a report is sent at once.
    private static final int MOST = 100_000;

    /// @param sinceMillis the first unreported failure
    private record Pending(long sinceMillis, long dueMillis) {}

    private final Map<QueueId, Pending> pending = new LinkedHashMap<>();
    private final Set<QueueId> underWay = new LinkedHashSet<>();
    private long nextMillis = Long.MAX_VALUE;

    boolean isFull() {
        return pending.size() >= MOST;
    }

    boolean isQuiet() {
        return underWay.isEmpty();
    }

    void add(QueueId id, long sinceMillis, long dueMillis) {
        pending.put(id, new Pending(sinceMillis, dueMillis));
        nextMillis = Math.min(nextMillis, dueMillis);
    }

    /// Forgets the message, because it is active again or gone. Returns the time of its first
    /// unreported failure, 0 when it is not known.
    long take(QueueId id) {
        Pending taken = pending.remove(id);
        return taken == null ? 0 : taken.sinceMillis();
    }

    /// The time of the next report; `Long.MAX_VALUE` when none is pending.
    long nextMillis() {
        return nextMillis;
    }

    /// Takes the messages whose reports are due and counts these as under way.
    ///
    /// @param busy messages whose state on disk is about to change; [#again] follows for each
    List<QueueId> due(long nowMillis, Predicate<QueueId> busy) {
        if (nextMillis > nowMillis) {
            return List.of();
        }
        List<QueueId> due = new ArrayList<>();
        long next = Long.MAX_VALUE;
        for (Map.Entry<QueueId, Pending> each : pending.entrySet()) {
            if (each.getValue().dueMillis() > nowMillis) {
                next = Math.min(next, each.getValue().dueMillis());
            } else if (!busy.test(each.getKey())) {
                due.add(each.getKey());
            }
        }
        nextMillis = next;
        due.sort(null);
        due.forEach(pending::remove);
        underWay.addAll(due);
        return due;
    }

    /// The state of this message on disk has changed: a report that waited for that is due.
    void again(QueueId id) {
        Pending waiting = pending.get(id);
        if (waiting != null) {
            nextMillis = Math.min(nextMillis, waiting.dueMillis());
        }
    }

    boolean isUnderWay(QueueId id) {
        return underWay.contains(id);
    }

    /// False when no report of this message was under way.
    boolean answered(QueueId id) {
        return underWay.remove(id);
    }
}
