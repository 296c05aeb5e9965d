package org.slipstream.bench.load.sustain;

import com.sun.management.GarbageCollectionNotificationInfo;

import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Queue;

import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/// One activity with its beginning and its end, in `System.nanoTime()` of the bench, that may
/// explain a stall.
record Evidence(long fromNanos, long toNanos, String what) {
    long overlapNanos(long from, long to) {
        return Math.max(0, Math.min(to, toNanos) - Math.max(from, fromNanos));
    }

    /// The bench's own collections: they stop its clients and its sink, and look like stalls of the
    /// server.
    static void ofOwnCollector(Queue<Evidence> found) {
        long offset = offsetNanos();
        long startMillis = ManagementFactory.getRuntimeMXBean().getStartTime();
        for (var collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            ((NotificationEmitter) collector)
                    .addNotificationListener(
                            (notification, _) -> found.add(ofCollection(notification, offset, startMillis)), null,
                            null);
        }
    }

    private static Evidence ofCollection(Notification notification, long offset, long startMillis) {
        var collection = GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData()).getGcInfo();
        long from = (startMillis + collection.getStartTime()) * 1_000_000 + offset;
        return new Evidence(from, from + collection.getDuration() * 1_000_000, "bench: its own collector");
    }

    /// The number to add to nanoseconds since 1970 to get `System.nanoTime()`.
    static long offsetNanos() {
        return System.nanoTime() - nanos(Instant.now());
    }

    static long nanos(Instant instant) {
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
    }
}
