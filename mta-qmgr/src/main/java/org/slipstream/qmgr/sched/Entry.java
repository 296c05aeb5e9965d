package org.slipstream.qmgr.sched;

import org.slipstream.core.Recipient;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Recipients of one message for one destination, handed over as one unit.
///
/// Waiting entries are topped up while they have room; once taken, an entry does not change. A waiting entry stands in two
/// rows, its peer's and its destination's, and is a link of both.
public final class Entry {
    final Peer peer;
    private List<Recipient> recipients;

    /// Behind this one in the peer's row.
    Entry nextAtPeer;

    /// Neighbours in the row of everything that waits for the destination, in order of creation.
    Entry previousAtLine;
    Entry nextAtLine;

    Entry(Peer peer, Recipient first) {
        this.peer = peer;
        this.recipients = List.of(first);
    }

    /// Most entries have one recipient, and a list of one that cannot grow takes a third of the room.
    void add(Recipient recipient) {
        if (size() == 1) {
            recipients = new ArrayList<>(recipients);
        }
        recipients.add(recipient);
    }

    int size() {
        return recipients.size();
    }

    public Message message() {
        return peer.job.message;
    }

    public Line line() {
        return peer.line;
    }

    public List<Recipient> recipients() {
        return size() == 1 ? recipients : Collections.unmodifiableList(recipients);
    }
}
