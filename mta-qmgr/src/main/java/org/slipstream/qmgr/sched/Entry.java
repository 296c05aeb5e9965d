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
    final List<Recipient> recipients = new ArrayList<>(1);

    /// Behind this one in the peer's row.
    Entry nextAtPeer;

    /// Neighbours in the row of everything that waits for the destination, in order of creation.
    Entry previousAtLine;
    Entry nextAtLine;

    Entry(Peer peer) {
        this.peer = peer;
    }

    public Message message() {
        return peer.job.message;
    }

    public Line line() {
        return peer.line;
    }

    public List<Recipient> recipients() {
        return Collections.unmodifiableList(recipients);
    }
}
