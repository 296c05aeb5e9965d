package org.slipstream.qmgr.sched;

import org.slipstream.core.Recipient;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Recipients of one message for one destination, handed over as one unit.
///
/// Waiting entries are topped up while they have room; once taken, an entry does not change. A waiting entry stands in two
/// rows, its peer's and its destination's, and is a link of both.
public final class Entry {
    final Peer peer;
    private final Recipient first;

    /// The others, or none: most entries have one recipient, and a hundred thousand lists of one would fill the caches.
    private List<Recipient> more = List.of();

    /// Behind this one in the peer's row.
    Entry nextAtPeer;

    /// Neighbours in the row of everything that waits for the destination, in order of creation.
    Entry previousInQueue;
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
