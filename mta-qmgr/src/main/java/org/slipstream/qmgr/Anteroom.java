package org.slipstream.qmgr;

import org.slipstream.core.MessageSummary;
import org.slipstream.core.QueueId;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Messages known by name that wait for a place in the active set: announced ones and those that a scan found.
///
/// The register does not tell new mail from deferred mail, and it need not: what has never been tried is new, also when a
/// restart made a scan find it. What waits here is on disk as well, with a lease if a scan found it, so the room may be
/// small and may be lost.
final class Anteroom {
    private final int capacity;
    private final Map<QueueId, MessageSummary> fresh = new LinkedHashMap<>();
    private final Map<QueueId, MessageSummary> deferred = new LinkedHashMap<>();

    Anteroom(int capacity) {
        this.capacity = capacity;
    }

    boolean knows(QueueId id) {
        return fresh.containsKey(id) || deferred.containsKey(id);
    }

    boolean isFull() {
        return size() >= capacity;
    }

    int size() {
        return fresh.size() + deferred.size();
    }

    /// No new mail waits here.
    boolean hasNoNews() {
        return fresh.isEmpty();
    }

    void enter(MessageSummary message) {
        (message.attempts() == 0 ? fresh : deferred).put(message.id(), message);
    }

    void leave(QueueId id) {
        fresh.remove(id);
        deferred.remove(id);
    }

    Admission admission() {
        return new Admission(_ -> next(fresh), _ -> next(deferred));
    }

    private static Optional<Admission.Offer> next(Map<QueueId, MessageSummary> waiting) {
        Iterator<MessageSummary> all = waiting.values().iterator();
        if (!all.hasNext()) {
            return Optional.empty();
        }
        MessageSummary first = all.next();
        all.remove();
        return Optional.of(new Admission.Offer(first, true));
    }
}
