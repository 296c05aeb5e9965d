package org.slipstream.qmgr.admit;

import org.slipstream.core.QueueId;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.SequencedMap;

/// Flush requests for messages and domains. A flush revives exactly the destinations of the mail
/// that it names.
///
/// The destination of a sleeping message is known only after routing, so the request is kept until
/// the message is routed ([Routing]). Then it revives that destination and the hosts of that route,
/// if they failed *before* the request: a destination that dies afterwards stays dead. All others
/// wait for their own time.
///
/// A request expires after the longest dead time of a destination, because by then each dead time
/// has ended or began after the request. Beyond [#MOST] requests the oldest are dropped; their
/// messages are due all the same.
public final class Flushes {
    private static final int MOST = 10_000;

    private long memoryMillis;
    private final SequencedMap<QueueId, Long> messages = new LinkedHashMap<>();
    private final SequencedMap<String, Long> domains = new LinkedHashMap<>();

    Flushes(long memoryMillis) {
        this.memoryMillis = memoryMillis;
    }

    void change(long millis) {
        memoryMillis = millis;
    }

    public void add(String domain, long nowMillis) {
        add(domains, domain.toLowerCase(Locale.ROOT), nowMillis);
    }

    /// The message is to be tried whatever its destination.
    public void add(QueueId id, long nowMillis) {
        add(messages, id, nowMillis);
    }

    private <K> void add(SequencedMap<K, Long> requests, K name, long nowMillis) {
        requests.remove(name);
        requests.put(name, nowMillis);
        Iterator<Long> oldest = requests.values().iterator();
        while (requests.size() > MOST || isOver(oldest.next(), nowMillis)) {
            requests.pollFirstEntry();
            oldest = requests.values().iterator();
        }
    }

    private boolean isOver(long requestedMillis, long nowMillis) {
        return nowMillis - requestedMillis > memoryMillis;
    }

    /// The time of the latest flush that covers this message and domain; empty when there is none.
    ///
    /// @param domain lower case
    OptionalLong requestedMillis(QueueId id, String domain, long nowMillis) {
        if (messages.isEmpty() && domains.isEmpty()) {
            return OptionalLong.empty();
        }
        long requested = Math.max(messages.getOrDefault(id, Long.MIN_VALUE),
                domains.getOrDefault(domain, Long.MIN_VALUE));
        return requested == Long.MIN_VALUE || isOver(requested, nowMillis)
                ? OptionalLong.empty()
                : OptionalLong.of(requested);
    }
}
