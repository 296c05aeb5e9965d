package org.slipstream.qmgr.sched;

import java.util.ArrayList;
import java.util.List;

/// One message's work for one transport: a peer for each destination at which entries of it wait.
///
/// The order of peers in the list means nothing (their [Peer#turn] does), which makes leaving it cheap.
final class Job {
    final Message message;
    final Transport transport;
    final List<Peer> peers = new ArrayList<>(1);

    Job(Message message, Transport transport) {
        this.message = message;
        this.transport = transport;
    }

    void join(Peer peer) {
        peer.place = peers.size();
        peers.add(peer);
    }

    void leave(Peer peer) {
        Peer last = peers.removeLast();
        if (last != peer) {
            peers.set(peer.place, last);
            last.place = peer.place;
        }
    }
}
