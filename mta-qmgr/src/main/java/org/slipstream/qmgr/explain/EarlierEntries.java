package org.slipstream.qmgr.explain;

import org.slipstream.core.QueueId;
import org.slipstream.qmgr.sched.DestinationQueue;

import java.util.Map;
import java.util.Optional;

/// The entries of one destination that wait before those of a message, as far as they are counted.
record EarlierEntries(Map<QueueId, Integer> byMessage) {
    /// The maximum number of entries that are counted per destination queue.
    static final int COUNTED = 1_000;

    static EarlierEntries of(DestinationQueue queue) {
        return new EarlierEntries(queue.entriesBefore(COUNTED));
    }

    /// Empty when they are more than are counted.
    Optional<Integer> count(QueueId message) {
        return Optional.ofNullable(byMessage.get(message));
    }

    boolean isFirst(QueueId message) {
        return count(message).filter(earlier -> earlier == 0).isPresent();
    }

    String words(QueueId message) {
        return count(message).map(EarlierEntries::deliveries).orElse("more than " + deliveries(COUNTED)) + " before it";
    }

    /// The message whose entry waits longest.
    QueueId first() {
        return byMessage.keySet().iterator().next();
    }

    static String deliveries(int number) {
        return number == 1 ? "1 delivery" : number + " deliveries";
    }
}
