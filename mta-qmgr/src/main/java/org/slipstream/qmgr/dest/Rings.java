package org.slipstream.qmgr.dest;

import org.jspecify.annotations.Nullable;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.qmgr.place.LackingLane;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.shard.Leases;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;

/// The limits that several destinations share: that of the server, and those of rings (ZM-20,
/// ZM-21).
///
/// Rings are counted by the destinations with running deliveries, of which there are at most as many as
/// connections. A limit that refused is remembered until it has room, which may let many
/// destinations go.
public final class Rings {
    private DestinationTable table;
    private int limitOfServer;
    private final IntSupplier busyOfServer;
    private final ToIntFunction<DestinationQueue> charge;
    private final Leases leases;
    private final Map<DestinationQueue, String> ringOf = new LinkedHashMap<>();
    private final Map<String, Set<DestinationQueue>> running = new TreeMap<>();
    private final Set<String> refusing = new LinkedHashSet<>();
    private boolean serverRefuses;

    /// @param limitOfServer 0: none
    /// @param charge connections of a destination
    Rings(DestinationTable table, int limitOfServer, IntSupplier busyOfServer,
            ToIntFunction<DestinationQueue> charge, Leases leases) {
        this.leases = leases;
        this.table = table;
        this.limitOfServer = limitOfServer;
        this.busyOfServer = busyOfServer;
        this.charge = charge;
    }

    void enter(DestinationQueue queue, String ring) {
        ringOf.put(queue, ring);
    }

    void leave(DestinationQueue queue) {
        finished(queue);
        ringOf.remove(queue);
    }

    /// Other limits. Destinations are in their rings until [#moved].
    void change(DestinationTable others, int server) {
        table = others;
        limitOfServer = server;
    }

    /// The settings put a destination into a ring, or into none.
    void moved(DestinationQueue queue, Optional<String> ring) {
        String before = ringOf.remove(queue);
        if (before != null && running.containsKey(before)) {
            running.get(before).remove(queue);
        }
        if (ring.isPresent()) {
            enter(queue, ring.get());
            if (queue.running() > 0) {
                started(queue);
            }
        }
    }

    /// The limit of the server or a ring; empty when there is none any more.
    Optional<Integer> limit(LimitKey key) {
        return key instanceof LimitKey.OfRing(String ring)
                ? table.limit(ring)
                : Optional.of(limitOfServer).filter(limit -> limit > 0);
    }

    /// The limits of the server and of the rings with running deliveries.
    Map<LimitKey, Integer> limitsInUse() {
        Map<LimitKey, Integer> limits = new LinkedHashMap<>();
        limit(LimitKey.SERVER).ifPresent(limit -> limits.put(LimitKey.SERVER, limit));
        running.keySet().forEach(ring -> table.limit(ring).ifPresent(limit -> limits.put(LimitKey.ring(ring), limit)));
        return limits;
    }

    void started(DestinationQueue queue) {
        String ring = ringOf.get(queue);
        if (ring != null) {
            running.computeIfAbsent(ring, _ -> new LinkedHashSet<>()).add(queue);
        }
    }

    /// An entry of this queue finished.
    void finished(DestinationQueue queue) {
        String ring = ringOf.get(queue);
        if (ring != null && queue.running() == 0 && running.containsKey(ring)) {
            running.get(ring).remove(queue);
        }
    }

    public boolean isServerFull() {
        return limitOfServer > 0 && busyOfServer.getAsInt() >= leases.limit(LimitKey.SERVER, limitOfServer);
    }

    public boolean isRingFull(DestinationQueue queue) {
        return isFull(ringOf.get(queue));
    }

    /// The first of the two gates that is closed for this queue; null when both are open.
    @Nullable
    Code full(DestinationQueue queue) {
        return isServerFull() ? Code.SERVER : isRingFull(queue) ? Code.RING : null;
    }

    private boolean isFull(@Nullable String ring) {
        if (ring == null) {
            return false;
        }
        Optional<Integer> limit = table.limit(ring);
        return limit.isPresent() && atWork(ring) >= ofShard(ring, limit.get());
    }

    private int ofShard(String ring, int limit) {
        return leases.limit(LimitKey.ring(ring), limit);
    }

    /// The lanes of the server and of its ring that a delivery to this queue lacks in this shard.
    List<LackingLane> lacks(DestinationQueue queue) {
        List<LackingLane> lacks = new ArrayList<>(0);
        if (isServerFull() && leases.isShort(LimitKey.SERVER, limitOfServer)) {
            lacks.add(new LackingLane(LimitKey.SERVER, limitOfServer));
        }
        String ring = ringOf.get(queue);
        if (ring != null && isFull(ring)) {
            LimitKey key = LimitKey.ring(ring);
            table.limit(ring).filter(limit -> leases.isShort(key, limit))
                    .ifPresent(limit -> lacks.add(new LackingLane(key, limit)));
        }
        return lacks;
    }

    int atWork(String ring) {
        int atWork = 0;
        for (DestinationQueue queue : running.getOrDefault(ring, Collections.emptySet())) {
            atWork += charge.applyAsInt(queue);
        }
        return atWork;
    }

    /// The sentence about a full ring.
    public String words(DestinationQueue queue) {
        String ring = ringOf.get(queue);
        if (ring == null) {
            return "in no ring";
        }
        return atWork(ring) + " of " + table.limit(ring).orElse(0) + " connections of the ring " + ring
                + " are at work";
    }

    public String wordsOfServer() {
        return limitOfServer == 0
                ? "no limit"
                : busyOfServer.getAsInt() + " of " + limitOfServer + " connections of the server are at work";
    }

    /// A delivery to this queue was refused. It is asked about again when the limit has room.
    void refused(DestinationQueue queue) {
        serverRefuses |= isServerFull();
        if (isRingFull(queue)) {
            refusing.add(ringOf.get(queue));
        }
    }

    /// True when a limit that refused has room again, once per refusal.
    public boolean hasNewRoom() {
        boolean room = serverRefuses && !isServerFull();
        serverRefuses &= !room;
        return refusing.removeIf(ring -> !isFull(ring)) || room;
    }
}
