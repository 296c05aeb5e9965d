package org.slipstream.qmgr.sched;

import org.slipstream.core.Route;

import java.util.TreeMap;

/// The entries, of whatever message, that wait for or run to one destination: transport × next hop.
///
/// This is the scheduler's half of what Postfix calls the queue of a transport; what is known of the destination itself
/// (alive or dead, later its window) is `qmgr.flow.Destination`, and the queue manager keeps the two together.
public final class Line {
    final Transport transport;
    final String nextHop;

    /// Creation number, the last tie-breaker of every order.
    final long number;

    /// How to get there, as last heard.
    Route route;

    /// Peers with waiting entries by their message's activation number: the first is next.
    final TreeMap<Long, Peer> peers = new TreeMap<>();
    int waiting;
    int running;

    /// The gate said no for this destination, and nothing has happened since that could change its mind.
    boolean parked;

    /// In the job list, under the rank below.
    boolean listed;
    long rankMessage;
    long rankTurn;

    Line(Transport transport, Route route, long number) {
        this.transport = transport;
        this.nextHop = route.nextHop();
        this.route = route;
        this.number = number;
    }

    public Route route() {
        return route;
    }

    public String transport() {
        return transport.name;
    }

    public String nextHop() {
        return nextHop;
    }

    public int waiting() {
        return waiting;
    }

    public int running() {
        return running;
    }

    public boolean isEmpty() {
        return waiting == 0 && running == 0;
    }

    @Override
    public String toString() {
        return transport.name + "/" + nextHop;
    }
}
