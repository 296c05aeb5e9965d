package org.slipstream.qmgr.sched;

import org.slipstream.core.Route;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/// The destination queues of one transport by key, and their next hops.
final class DestinationQueues {
    private final Transport transport;

    /// In order of creation, or of turns in round-robin order.
    private final LinkedHashMap<String, DestinationQueue> queues = new LinkedHashMap<>();
    private final Map<String, NextHop> hops = new LinkedHashMap<>();

    DestinationQueues(Transport transport) {
        this.transport = transport;
    }

    /// The queue of this key, created on first use. A later route with the same key replaces the
    /// earlier one.
    DestinationQueue queue(Route route, String key) {
        DestinationQueue queue = queues.get(key);
        if (queue == null) {
            NextHop hop = hops.computeIfAbsent(route.nextHop(), NextHop::new);
            hop.queues++;
            queue = new DestinationQueue(transport, hop, key, route);
            queues.put(key, queue);
        }
        queue.route = route;
        return queue;
    }

    /// Removes an empty queue. True when its next hop has no queue left and is removed as well.
    boolean remove(DestinationQueue queue) {
        if (!queue.isEmpty()) {
            throw new IllegalStateException("queue " + queue + " has entries");
        }
        queues.remove(queue.key);
        if (--queue.hop.queues > 0) {
            return false;
        }
        hops.remove(queue.hop.name);
        return true;
    }

    Collection<DestinationQueue> all() {
        return Collections.unmodifiableCollection(queues.values());
    }

    /// Moves the first `count` queues to the end.
    void rotate(int count) {
        for (int i = 0; i < count; i++) {
            DestinationQueue first = queues.pollFirstEntry().getValue();
            queues.putLast(first.key, first);
        }
    }
}
