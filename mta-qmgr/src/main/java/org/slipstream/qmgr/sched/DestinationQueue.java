package org.slipstream.qmgr.sched;

import org.jspecify.annotations.Nullable;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/// The queue of one destination: the entries of all messages that wait for it or run to it. A
/// destination is a transport and a key.
///
/// This is the scheduler's half of a Postfix `QMGR_QUEUE`. `qmgr.flow.Destination` holds the other
/// half, the concurrency window; the scheduler gets only its current size, [#allowed].
///
/// The key is the next hop, or `local@next-hop` where the transport delivers to one recipient at a
/// time: then every recipient has a window of its own (PF-12).
public final class DestinationQueue implements Blocker {
    final Transport transport;
    final NextHop hop;
    final String key;

    /// The latest route.
    Route route;

    /// The list of waiting entries, in order of creation.
    @Nullable
    Entry first;
    @Nullable
    Entry last;
    int waiting;
    int running;

    /// The window. 0 when dead or suspended.
    int allowed;

    /// The window counts connections, each of which may carry several entries, so the gate decides.
    /// Otherwise it counts entries.
    boolean countsConnections;

    /// Equal to the transport's tag when a job is blocked by this destination.
    int blockerTag;

    /// Selects the entry that goes first; null for the order of service of the transport.
    @Nullable
    EntryOrder order;

    /// The counts in which the waiting entries of a message are.
    Function<Message, List<WaitingCount>> counts = _ -> List.of();

    /// True when [ReadyDestinations] lists it: an entry waits and the window permits another.
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

    /// True when the window permits another entry. After a window has shrunk, more entries may run
    /// than it permits; this does not affect other destinations.
    public boolean hasRoom() {
        return allowed > (countsConnections ? 0 : running);
    }

    public boolean countsConnections() {
        return countsConnections;
    }

    /// @param connections false: the window counts entries
    public void countsConnections(boolean connections) {
        countsConnections = connections;
    }

    /// Replaces the order of service among the entries that wait here.
    public void orderBy(EntryOrder entries) {
        order = entries;
    }

    /// The order of service of the transport applies again.
    public void orderByTransport() {
        order = null;
    }

    /// Counts the waiting entries of each message in these.
    public void count(Function<Message, List<WaitingCount>> ofMessage) {
        Set<Peer> peers = new LinkedHashSet<>();
        for (Entry entry = first; entry != null; entry = entry.nextInQueue) {
            peers.add(entry.peer);
        }
        counts = ofMessage;
        peers.forEach(Peer::recount);
    }

    /// The waiting entries, in order of creation.
    public List<Entry> entries() {
        List<Entry> entries = new ArrayList<>(waiting);
        for (Entry entry = first; entry != null; entry = entry.nextInQueue) {
            entries.add(entry);
        }
        return entries;
    }

    /// For each waiting message, the number of entries before its first one. Examines the first
    /// `most` entries.
    public Map<QueueId, Integer> entriesBefore(int most) {
        Map<QueueId, Integer> before = new LinkedHashMap<>();
        int number = 0;
        for (Entry entry = first; entry != null && number < most; entry = entry.nextInQueue) {
            before.putIfAbsent(entry.message().id, number++);
        }
        return before;
    }

    /// The first entries of the messages behind the first, at most `most` of the first `lookedAt`
    /// entries.
    Stream<Entry> firstOfOthers(int most, int lookedAt) {
        Map<QueueId, Entry> others = new LinkedHashMap<>();
        Entry entry = head().nextInQueue;
        for (int i = 1; i < lookedAt && entry != null && others.size() < most; i++) {
            if (entry.message() != head().message()) {
                others.putIfAbsent(entry.message().id, entry);
            }
            entry = entry.nextInQueue;
        }
        return others.values().stream();
    }

    /// The first entry of each waiting message.
    Stream<Entry> firstOfEachMessage() {
        Map<QueueId, Entry> byMessage = new LinkedHashMap<>();
        for (Entry entry = first; entry != null; entry = entry.nextInQueue) {
            byMessage.putIfAbsent(entry.message().id, entry);
        }
        return byMessage.values().stream();
    }

    /// The first waiting entry. Only valid when one waits.
    Entry head() {
        return Objects.requireNonNull(first);
    }

    /// True when an entry waits and no known limit holds it.
    @Override
    public boolean isOpen() {
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
