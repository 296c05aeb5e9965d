package org.slipstream.qmgr.sched;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A job: the entries of one message for one transport. It is the unit of the order of service.
///
/// Plain data of one thread. Each field has one class that writes it: the ring of peers is written
/// by the [Scheduler], the turn in it by the [ListOrder], the places in the two lists by the
/// [JobList], parent, children and level by [Preemption], the counters of recipients by the
/// [RecipientPool].
final class Job {
    /// Not on the lists: never linked, or retired.
    static final int OFF = -1;

    static final List<Job> CHILDLESS = List.of();

    /// The largest number of peers that are searched linearly.
    private static final int FEW = 8;

    final Message message;
    final Transport transport;

    /// Ring of peers; points to the next in turn, or null.
    @Nullable
    Peer turn;
    private int peers;

    /// Peers by destination, empty as long as they are few.
    private Map<DestinationQueue, Peer> byQueue = Collections.emptyMap();

    /// Entries created in total, and entries taken or withdrawn (Postfix: `read_entries`,
    /// `selected_entries`).
    int read;
    int selected;

    /// Its saved delivery slots; they survive preemption and retirement.
    final SlotAccount slots = new SlotAccount();

    /// [#OFF], 0 for a job that has not passed another, otherwise one more than that of the job
    /// that it passed.
    int level = OFF;
    @Nullable
    Job parent;
    List<Job> children = CHILDLESS;

    /// Neighbours in the order of service.
    @Nullable
    Job previous;
    @Nullable
    Job next;

    /// Grows along the order of service: compares the places of two jobs in O(1).
    long label;

    /// Neighbours in the order of activation.
    @Nullable
    Job older;
    @Nullable
    Job younger;

    /// Equal to the transport's tag when no peer can go.
    int blockerTag;

    /// The run of adjacent jobs that wait for the same destination, or null.
    @Nullable
    BlockedRun run;

    /// Recipients in memory, and the slots lent to this job.
    int inCore;
    int limit;

    /// The size class in [SizeSearch], or null.
    @Nullable
    SizeClass sizeClass;

    /// In seconds as in Postfix, since the score compares ages in whole seconds.
    final long activatedSecond;

    Job(Message message, Transport transport) {
        this.message = message;
        this.transport = transport;
        this.activatedSecond = Math.floorDiv(message.activatedMillis, 1_000);
    }

    /// An upper bound of the total of entries: those created, and one for each unread recipient
    /// (PF-66: the estimate favours no preemption).
    int mostEntries() {
        return read + message.unread;
    }

    int mostEntriesLeft() {
        return mostEntries() - selected;
    }

    boolean isOnList() {
        return level != OFF;
    }

    /// True when no entry waits and none can follow.
    boolean isServed() {
        return selected == read && !message.isPartlyUnread();
    }

    void adopt(Job child) {
        child.parent = this;
        children = children == CHILDLESS ? new ArrayList<>(1) : children;
        children.add(child);
    }

    boolean isLeaf() {
        return children.isEmpty();
    }

    /// The peer at this destination, if there is one. Recipients come sorted by destination, so it
    /// is mostly the last.
    Optional<Peer> peer(DestinationQueue queue) {
        if (turn == null || turn.previous.queue == queue) {
            return Optional.ofNullable(turn).map(first -> first.previous);
        }
        return byQueue.isEmpty() ? search(turn, queue) : Optional.ofNullable(byQueue.get(queue));
    }

    private Optional<Peer> search(Peer start, DestinationQueue queue) {
        Peer peer = start;
        for (int i = 0; i < peers; i++, peer = peer.next) {
            if (peer.queue == queue) {
                return Optional.of(peer);
            }
        }
        return Optional.empty();
    }

    void join(Peer peer) {
        if (turn == null) {
            turn = peer;
        } else {
            peer.previous = turn.previous;
            peer.next = turn;
            turn.previous.next = peer;
            turn.previous = peer;
        }
        peers++;
        if (!byQueue.isEmpty()) {
            byQueue.put(peer.queue, peer);
        } else if (peers > FEW) {
            byQueue = new LinkedHashMap<>();
            peers().forEach(each -> byQueue.put(each.queue, each));
        }
    }

    void leave(Peer peer) {
        peers--;
        if (!byQueue.isEmpty()) {
            byQueue.remove(peer.queue);
        }
        if (peer.next == peer) {
            turn = null;
            return;
        }
        peer.previous.next = peer.next;
        peer.next.previous = peer.previous;
        if (turn == peer) {
            turn = peer.next;
        }
    }

    int peerCount() {
        return peers;
    }

    List<Peer> peers() {
        List<Peer> peers = new ArrayList<>();
        for (Peer peer = turn; peer != null; peer = after(peer)) {
            peers.add(peer);
        }
        return peers;
    }

    /// The next peer of a walk around the ring that began at [#turn]; null at its end.
    @Nullable
    Peer after(Peer peer) {
        return peer.next == turn ? null : peer.next;
    }

    @Override
    public String toString() {
        return "queue=" + message.id + " at " + transport.name();
    }
}
