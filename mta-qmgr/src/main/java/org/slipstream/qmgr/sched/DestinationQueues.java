package org.slipstream.qmgr.sched;

import org.slipstream.core.Route;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/// The destinations of one transport by key, and the next hops that they lead to.
final class DestinationQueues {
    private final Transport transport;

    /// In order of creation, or of turns where destinations take turns.
    private final LinkedHashMap<String, DestinationQueue> queues = new LinkedHashMap<>();
    private final Map<String, NextHop> hops = new LinkedHashMap<>();

    DestinationQueues(Transport transport) {
        this.transport = transport;
    }

    /// The line of this key, made when there is none. Later routes with the same key replace how to get there.
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

    /// Removes an empty line. True when its next hop has no line left and is gone as well.
    boolean remove(DestinationQueue queue) {
        if (!queue.isEmpty()) {
            throw new IllegalStateException("line " + queue + " has entries");
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

    /// The first `count` lines have had their turn and move to the end.
    void rotate(int count) {
        for (int i = 0; i < count; i++) {
            DestinationQueue first = queues.pollFirstEntry().getValue();
            queues.putLast(first.key, first);
        }
    }
}
