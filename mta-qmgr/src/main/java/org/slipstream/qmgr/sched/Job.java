package org.slipstream.qmgr.sched;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One message's work for one transport: the unit that the order of service is about.
///
/// Plain data of one thread. Each field has one class that writes it: the ring of peers is written by the [Scheduler], the turn
/// in it by the [ListOrder], the places in the two lists by the [JobList], parent, children and level by [Preemption], the
/// counters of recipients by the [RecipientPool].
final class Job {
    /// Not on the lists: never linked, or retired.
    static final int OFF = -1;

    static final List<Job> CHILDLESS = List.of();

    /// Up to so many peers are searched one by one.
    private static final int FEW = 8;

    final Message message;
    final Transport transport;

    /// Ring of peers; the one whose turn is next, or none.
    Peer turn;
    private int peers;

    /// Peers by destination, or none as long as they are few.
    private Map<DestinationQueue, Peer> byQueue;

    /// Entries created over the job's whole life, and entries taken or deferred unseen (Postfix: `read_entries`,
    /// `selected_entries`).
    int read;
    int selected;

    /// Its savings of delivery slots; they outlive preemption and retirement.
    final SlotAccount slots = new SlotAccount();

    /// [#OFF], 0 for a job that has not passed another, otherwise one more than that of the job that it passed.
    int level = OFF;
    Job parent;
    List<Job> children = CHILDLESS;

    /// Neighbours in the order of service.
    Job previous;
    Job next;

    /// Grows along the order of service; says in O(1) which of two jobs is in front.
    long label;

    /// Neighbours in the order of activation.
    Job older;
    Job younger;

    /// Equal to the transport's tag: known to have no peer that may go.
    int blockerTag;

    /// Neighbours that wait for the same destination, or none.
    BlockedRun run;

    /// Recipients in memory, and how many there may be for its sake.
    int inCore;
    int limit;

    /// Where [SizeSearch] keeps it, or none.
    SizeClass sizeClass;

    /// Seconds, as in the original: the score compares ages in whole ones.
    final long activatedSecond;

    Job(Message message, Transport transport) {
        this.message = message;
        this.transport = transport;
        this.activatedSecond = Math.floorDiv(message.activatedMillis, 1_000);
    }

    /// An upper bound of the entries it will have had in the end: those read, and one for each recipient not yet read
    /// (PF-66: estimates err against preemption).
    int mostEntries() {
        return read + message.unread;
    }

    int mostEntriesLeft() {
        return mostEntries() - selected;
    }

    boolean isOnList() {
        return level != OFF;
    }

    /// Nothing of it waits, and nothing is to come.
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

    /// The peer at this line, if there is one. Recipients come sorted by destination, so it is mostly the last.
    Optional<Peer> peer(DestinationQueue queue) {
        if (turn == null || turn.previous.queue == queue) {
            return Optional.ofNullable(turn).map(first -> first.previous);
        }
        return byQueue == null ? search(queue) : Optional.ofNullable(byQueue.get(queue));
    }

    private Optional<Peer> search(DestinationQueue queue) {
        Peer peer = turn;
        for (int i = 0; i < peers; i++, peer = peer.next) {
            if (peer.queue == queue) {
                return Optional.of(peer);
            }
        }
        return Optional.empty();
    }

    void join(Peer peer) {
        if (turn == null) {
            peer.previous = peer;
            peer.next = peer;
            turn = peer;
        } else {
            peer.previous = turn.previous;
            peer.next = turn;
            turn.previous.next = peer;
            turn.previous = peer;
        }
        peers++;
        if (byQueue != null) {
            byQueue.put(peer.queue, peer);
        } else if (peers > FEW) {
            byQueue = new LinkedHashMap<>();
            peers().forEach(each -> byQueue.put(each.queue, each));
        }
    }

    void leave(Peer peer) {
        peers--;
        if (byQueue != null) {
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

    List<Peer> peers() {
        List<Peer> peers = new ArrayList<>();
        Peer peer = turn;
        while (peer != null && (peers.isEmpty() || peer != turn)) {
            peers.add(peer);
            peer = peer.next;
        }
        return peers;
    }

    @Override
    public String toString() {
        return "queue=" + message.id + " at " + transport.name();
    }
}
