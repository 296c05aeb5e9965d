package org.slipstream.qmgr.sched;

import org.slipstream.core.QueueId;
import org.slipstream.core.Route;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/// The entries, of whatever message, that wait for or run to one destination: transport × key.
///
/// This is the scheduler's half of what Postfix calls the queue of a transport. What is known of the destination itself is
/// `qmgr.flow.Destination`; of that only one figure comes here, [#allowed], and the queue manager keeps the two together.
///
/// The key is the next hop, or `local@next-hop` where the transport delivers to one recipient at a time: then every
/// recipient has a window of its own (PF-12).
public final class DestinationQueue {
    final Transport transport;
    final NextHop hop;
    final String key;

    /// How to get there, as last heard.
    Route route;

    /// The row of waiting entries, in order of creation.
    Entry first;
    Entry last;
    int waiting;
    int running;

    /// How many may run at once: the window. 0 when dead or suspended.
    int allowed;

    /// The window counts connections, on each of which several entries may sit, so the gate decides whether there is
    /// room. Otherwise it counts entries.
    boolean countsConnections;

    /// Equal to the transport's tag: a job is blocked because of this destination.
    int blockerTag;

    /// Listed by [ReadyDestinations] as one where an entry waits that the window would let go.
    boolean listedOpen;

    DestinationQueue(Transport transport, NextHop hop, String key, Route route) {
        this.transport = transport;
        this.hop = hop;
        this.key = key;
        this.route = route;
    }

    public Route route() {
        return route;
    }

    public String transport() {
        return transport.name();
    }

    public String key() {
        return key;
    }

    public int waiting() {
        return waiting;
    }

    public int running() {
        return running;
    }

    public int allowed() {
        return allowed;
    }

    public boolean isEmpty() {
        return waiting == 0 && running == 0;
    }

    /// An entry may go, if there is one. (After a window has shrunk more may be running than are allowed; there is no room
    /// then, and no debt that could hold up other destinations.)
    public boolean hasRoom() {
        return allowed > (countsConnections ? 0 : running);
    }

    public boolean countsConnections() {
        return countsConnections;
    }

    /// From now on the window counts connections and not entries.
    public void countConnections() {
        countsConnections = true;
    }

    /// How many entries have waited for longer here than the first one of each message that waits. Looks at the first `most` entries.
    public Map<QueueId, Integer> entriesBefore(int most) {
        Map<QueueId, Integer> before = new LinkedHashMap<>();
        int number = 0;
        for (Entry entry = first; entry != null && number < most; entry = entry.nextInQueue) {
            before.putIfAbsent(entry.message().id, number++);
        }
        return before;
    }

    /// Of each message that waits its first entry.
    Stream<Entry> firstOfEachMessage() {
        Map<QueueId, Entry> byMessage = new LinkedHashMap<>();
        for (Entry entry = first; entry != null; entry = entry.nextInQueue) {
            byMessage.putIfAbsent(entry.message().id, entry);
        }
        return byMessage.values().stream();
    }

    /// An entry waits and may go, as far as is known.
    boolean isOpen() {
        return waiting > 0 && hasRoom() && !hop.full;
    }

    void append(Entry entry) {
        entry.previousInQueue = last;
        if (last == null) {
            first = entry;
        } else {
            last.nextInQueue = entry;
        }
        last = entry;
        waiting++;
    }

    void remove(Entry entry) {
        if (entry.previousInQueue == null) {
            first = entry.nextInQueue;
        } else {
            entry.previousInQueue.nextInQueue = entry.nextInQueue;
        }
        if (entry.nextInQueue == null) {
            last = entry.previousInQueue;
        } else {
            entry.nextInQueue.previousInQueue = entry.previousInQueue;
        }
        entry.previousInQueue = null;
        entry.nextInQueue = null;
        waiting--;
    }

    @Override
    public String toString() {
        return transport.name() + "/" + key;
    }
}
