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
    private final LinkedHashMap<String, DestinationQueue> lines = new LinkedHashMap<>();
    private final Map<String, NextHop> hops = new LinkedHashMap<>();

    DestinationQueues(Transport transport) {
        this.transport = transport;
    }

    /// The line of this key, made when there is none. Later routes with the same key replace how to get there.
    DestinationQueue line(Route route, String key) {
        DestinationQueue line = lines.get(key);
        if (line == null) {
            NextHop hop = hops.computeIfAbsent(route.nextHop(), NextHop::new);
            hop.lines++;
            line = new DestinationQueue(transport, hop, key, route);
            lines.put(key, line);
        }
        line.route = route;
        return line;
    }

    /// Removes an empty line. True when its next hop has no line left and is gone as well.
    boolean remove(DestinationQueue line) {
        if (!line.isEmpty()) {
            throw new IllegalStateException("line " + line + " has entries");
        }
        lines.remove(line.key);
        if (--line.hop.lines > 0) {
            return false;
        }
        hops.remove(line.hop.name);
        return true;
    }

    Collection<DestinationQueue> all() {
        return Collections.unmodifiableCollection(lines.values());
    }

    /// The first `count` lines have had their turn and move to the end.
    void rotate(int count) {
        for (int i = 0; i < count; i++) {
            DestinationQueue first = lines.pollFirstEntry().getValue();
            lines.putLast(first.key, first);
        }
    }
}
