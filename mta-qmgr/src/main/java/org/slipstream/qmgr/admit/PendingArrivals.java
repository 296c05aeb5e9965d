package org.slipstream.qmgr.admit;

import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.qmgr.event.ActivationOrder;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Messages that wait for a place in the active set: announced ones and those that a scan found.
/// Each is on disk as well, so the list may be short and may be lost.
///
/// An announced message is new. So is one that a scan of the incoming queue found, because a
/// restart or an overload left it there. A message found by a scan has a lease in the spool.
///
/// The order is first in, first out. Among messages of the same millisecond the sender's priority
/// decides (MT-PRIORITY, RFC 6710). Priority is a tie-break only, so it delays no other sender's
/// mail.
public final class PendingArrivals {
    /// The maximum number of comparisons, which bounds the cost of a choice.
    private static final int MOST_EQUALS = 100;

    private final int capacity;
    private final Map<QueueId, MessageSummary> fresh = new LinkedHashMap<>();
    private final Map<QueueId, MessageSummary> deferred = new LinkedHashMap<>();

    PendingArrivals(int capacity) {
        this.capacity = capacity;
    }

    public boolean contains(QueueId id) {
        return fresh.containsKey(id) || deferred.containsKey(id);
    }

    boolean isFull() {
        return size() >= capacity;
    }

    int size() {
        return fresh.size() + deferred.size();
    }

    int deferred() {
        return deferred.size();
    }

    /// True when no new mail waits here.
    boolean hasNoNew() {
        return fresh.isEmpty();
    }

    void enter(MessageSummary message, boolean isNew) {
        (isNew ? fresh : deferred).put(message.id(), message);
    }

    public void leave(QueueId id) {
        fresh.remove(id);
        deferred.remove(id);
    }

    /// An operator changed the priority of a message that may wait here.
    public void prioritise(QueueId id, int priority) {
        fresh.computeIfPresent(id, (_, message) -> message.withPriority(priority));
        deferred.computeIfPresent(id, (_, message) -> message.withPriority(priority));
    }

    ActivationOrder admission() {
        return new ActivationOrder(_ -> next(fresh), _ -> next(deferred));
    }

    private static Optional<ActivationOrder.Offer> next(Map<QueueId, MessageSummary> waiting) {
        Iterator<MessageSummary> all = waiting.values().iterator();
        if (!all.hasNext()) {
            return Optional.empty();
        }
        MessageSummary first = all.next();
        MessageSummary chosen = first;
        for (int compared = 1; compared < MOST_EQUALS && all.hasNext(); compared++) {
            MessageSummary other = all.next();
            if (other.releaseMillis() != first.releaseMillis()) {
                break;
            }
            chosen = other.options().priority() > chosen.options().priority() ? other : chosen;
        }
        waiting.remove(chosen.id());
        return Optional.of(new ActivationOrder.Offer(chosen, true));
    }
}
