package org.slipstream.lab.scenario;

import org.slipstream.core.QueueId;
import org.slipstream.picture.RunRecord.QueueSample;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;

/// Counts the open recipients of each message during a run. A recipient waits for a delivery, is
/// under way, or waits for the time of another attempt. The messages of a stream are counted
/// together.
final class QueueCounts {
    private static final class Open {
        int waiting;
        int deferred;
        int underWay;

        int all() {
            return waiting + deferred + underWay;
        }
    }

    private final Map<QueueId, Open> messages = new TreeMap<>();
    private final Map<String, Open> sums = new TreeMap<>();
    private final SequencedMap<String, List<QueueSample>> samples = new LinkedHashMap<>();

    /// Adds a message of the file before its arrival.
    void expect(String name) {
        sums.putIfAbsent(name, new Open());
        samples.putIfAbsent(name, new ArrayList<>());
    }

    void arrives(QueueId id, String name, int recipients, long now) {
        if (messages.putIfAbsent(id, new Open()) == null) {
            move(id, name, recipients, 0, 0, now);
        }
    }

    /// Recipients of a deferred message are active again.
    void isRead(QueueId id, String name, int recipients, long now) {
        int back = Math.min(recipients, messages.get(id).deferred);
        move(id, name, back, -back, 0, now);
    }

    void takes(QueueId id, String name, int recipients, long now) {
        move(id, name, -recipients, 0, recipients, now);
    }

    /// Ends an entry.
    ///
    /// @param settled recipients of the entry that were delivered or have failed
    void ends(QueueId id, String name, int recipients, int settled, long now) {
        move(id, name, recipients - settled, 0, -recipients, now);
    }

    /// Counts the recipients of a message as waiting for the next attempt.
    void defers(QueueId id, String name, long now) {
        Open open = messages.get(id);
        move(id, name, -open.waiting, open.waiting, 0, now);
    }

    void leaves(QueueId id, String name, long now) {
        Open open = messages.get(id);
        if (open.all() > 0) {
            move(id, name, -open.waiting, -open.deferred, -open.underWay, now);
        }
    }

    private void move(QueueId id, String name, int waiting, int deferred, int underWay, long now) {
        Open sum = sums.get(name);
        for (Open each : List.of(messages.get(id), sum)) {
            each.waiting += waiting;
            each.deferred += deferred;
            each.underWay += underWay;
        }
        List<QueueSample> all = samples.get(name);
        if (!all.isEmpty() && all.getLast().atMillis() == now) {
            all.removeLast();
        }
        all.add(new QueueSample(now, sum.waiting, sum.deferred, sum.underWay));
    }

    SequencedMap<String, List<QueueSample>> samples() {
        return samples;
    }
}
