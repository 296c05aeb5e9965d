package org.slipstream.qmgr.sched;

import org.jspecify.annotations.Nullable;
import org.slipstream.core.Recipient;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The recipients of one message for one destination that are delivered as a unit.
///
/// A waiting entry accepts recipients up to its limit; once taken, it does not change. A waiting
/// entry is a link of two lists, its peer's and its destination queue's.
public final class Entry {
    final Peer peer;
    private final Recipient first;

    /// The other recipients. Most entries have one recipient, and a hundred thousand lists of one
    /// would fill the caches.
    private List<Recipient> more = List.of();

    /// The next entry of the peer.
    @Nullable
    Entry nextAtPeer;

    /// Neighbours in the destination queue, in order of creation.
    @Nullable
    Entry previousInQueue;
    @Nullable
    Entry nextInQueue;

    Entry(Peer peer, Recipient first) {
        this.peer = peer;
        this.first = first;
    }

    void add(Recipient recipient) {
        more = more.isEmpty() ? new ArrayList<>() : more;
        more.add(recipient);
    }

    int size() {
        return 1 + more.size();
    }

    public Message message() {
        return peer.job.message;
    }

    public DestinationQueue queue() {
        return peer.queue;
    }

    public List<Recipient> recipients() {
        return more.isEmpty() ? List.of(first) : Stream.concat(Stream.of(first), more.stream()).toList();
    }
}
