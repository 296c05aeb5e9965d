package org.slipstream.qmgr.sched;

import org.slipstream.qmgr.sched.Scheduler.Choice;

/// The order of service as a list of jobs: first come, first served, except where [Preemption] lets small mail pass.
///
/// **One selection.** The current job, from which an entry was taken last, may let another pass (PF-43). Then the list is walked
/// from there: a job with a peer whose destination has room gives an entry and is the current one from now on; a job without is
/// marked a blocker and passed over ([Blockers]); a job that has nothing left in memory is retired until more of it is
/// read. Whoever is passed over is not looked at again until a door opens: the walk starts at the current job and not at the head.
///
/// **In the middle of it** recipients may have to be read. The original waits for the disk. Here the search pauses where it
/// stands ([Transport.Pause]) and, when they are there, continues exactly at that place, unless somebody in front has got another
/// chance meanwhile. When answers come at once the decisions are the original's, one for one.
final class ListOrder implements ServiceOrder {
    /// So many places of one message are asked about in vain for the message's sake before the search goes on to the next
    /// message: some of them may let it ride along, but a list to ten thousand places is not to be walked at every event.
    private static final int MOST_REFUSALS = 8;

    /// So many jobs are asked about in vain because a destination is not ready for bulk mail yet. If no letter was among
    /// them, nobody goes there until it is: ten thousand mailings to one place are not to be walked at every event either.
    private static final int MOST_HELD = 64;

    private final Transport transport;
    private final Batches batches;
    private final Preemption preemption;
    private final boolean preempts;
    private final SchedTrace trace;

    /// Held back in this search, since the last that was not.
    private int held;

    ListOrder(Transport transport, Batches batches, Preemption preemption, boolean preempts, SchedTrace trace) {
        this.transport = transport;
        this.batches = batches;
        this.preemption = preemption;
        this.preempts = preempts;
        this.trace = trace;
    }

    // ---- choosing

    @Override
    public Choice next(Gate gate, long nowMillis) {
        Transport.Pause pause = transport.pause;
        transport.pause = null;
        held = 0;
        if (transport.current == null) {
            return Choice.NOTHING;
        }
        // Meanwhile somebody in front may have got another chance; then that is where to begin.
        if (pause == null || transport.current != pause.job()) {
            Job start = preempts ? preemption.attempt(transport.current, nowMillis) : transport.current;
            return walk(start, Phase.FRESH, gate, nowMillis);
        }
        return walk(pause.job(), pause.afterLooking() ? Phase.LAST_LOOK : Phase.TOPPED_UP, gate, nowMillis);
    }

    /// How far the search at one job has come: nothing done yet, recipients topped up where due, read because nothing could
    /// go.
    private enum Phase {
        FRESH, TOPPED_UP, LAST_LOOK
    }

    private Choice walk(Job start, Phase phase, Gate gate, long nowMillis) {
        Phase here = phase;
        for (Job job = start; job != null;) {
            Job next = job.next;
            if (transport.blockers.isKnown(job)) {
                next = transport.blockers.mark(job).next;
            } else {
                if (here == Phase.FRESH && batches.isRefillDue(job, nowMillis)) {
                    return pause(job, false);
                }
                switch (look(job, gate)) {
                    case Look.Go(Peer peer) -> {
                        return new Choice.Taken(take(peer));
                    }
                    case Look.Nowhere _ -> {
                        transport.current = job;
                        return Choice.NOTHING;
                    }
                    case Look.Later _ -> next = passOver(job);
                    case Look.Nobody _ -> {
                        if (here != Phase.LAST_LOOK && batches.canRead(job.message)) {
                            return pause(job, true);
                        }
                        next = passOver(job);
                    }
                }
            }
            here = Phase.FRESH;
            job = next;
        }
        transport.current = null;
        return Choice.NOTHING;
    }

    // Where to go on.
    private Job passOver(Job job) {
        Job next = job.next;
        if (job.selected < job.read) {
            return transport.blockers.mark(job).next;
        }
        retire(job);
        return next;
    }

    private Choice pause(Job job, boolean afterLooking) {
        batches.wishMore(job.message);
        // Everything in front of it is blocked, so this is where a search begins.
        transport.current = job;
        transport.pause = new Transport.Pause(job, afterLooking);
        return Choice.READING;
    }

    /// What a look at the peers of one job came to.
    private sealed interface Look {
        record Go(Peer peer) implements Look {}

        /// None of them may go; others may.
        record Nobody() implements Look {}

        /// The same, and one of them only has to wait for its turn: to read more of the message would not help.
        record Later() implements Look {}

        /// There is no seat for anybody, and no use in looking further.
        record Nowhere() implements Look {}
    }

    private static final Look NOBODY = new Look.Nobody();
    private static final Look LATER = new Look.Later();
    private static final Look NOWHERE = new Look.Nowhere();

    // The first peer in turn that may go; its successor is the next in turn (PF-25).
    private Look look(Job job, Gate gate) {
        Peer peer = job.turn;
        if (peer == null) {
            return NOBODY;
        }
        int refusals = 0;
        Look nobody = NOBODY;
        do {
            if (peer.waiting > 0 && peer.line.isOpen()) {
                switch (gate.ask(job.message, peer.line)) {
                    case FREE -> {
                        job.turn = peer.next;
                        return new Look.Go(peer);
                    }
                    case NOT_HERE -> transport.doors.noSeat(peer.line);
                    case NOT_YET -> {
                        nobody = LATER;
                        if (++held >= MOST_HELD) {
                            transport.doors.noSeat(peer.line);
                        }
                    }
                    case NOT_OF_MESSAGE -> {
                        transport.rationed = true;
                        if (++refusals == MOST_REFUSALS) {
                            job.turn = peer.next;
                            return NOBODY;
                        }
                    }
                    case NOWHERE -> {
                        return NOWHERE;
                    }
                }
            }
            peer = peer.next;
        } while (peer != job.turn);
        return nobody;
    }

    private Entry take(Peer peer) {
        Job job = peer.job;
        Entry entry = transport.take(peer);
        job.slots.earn();
        transport.current = job;
        transport.candidates.serves(job);
        trace.selected(entry);
        if (job.isServed()) {
            retire(job);
        }
        return entry;
    }

    // ---- on the list and off it

    @Override
    public void hasWork(Job job) {
        if (!job.isOnList() && transport.enter(job)) {
            transport.current = job;
        }
        // New work may be able to go where the old was not.
        if (transport.blockers.unmark(job)) {
            transport.current = transport.jobs.head;
        }
    }

    @Override
    public void changed(Job job) {
        transport.blockers.changed(job);
        transport.candidates.changed(job);
    }

    @Override
    public void mayGo(Line line, boolean dead) {
        if (transport.blockers.free(line, dead)) {
            transport.current = transport.jobs.head;
            transport.candidates.unblocked();
        }
    }

    @Override
    public void sharesMayBeFree() {
        transport.blockers.freeAll();
        transport.current = transport.jobs.head;
        transport.candidates.unblocked();
    }

    /// Takes a job off the lists. It comes back when it gets more work; what it has saved it keeps (PF-56).
    private void retire(Job job) {
        transport.candidates.leaves(job);
        if (job.level > 0) {
            preemption.leaveTree(job);
        }
        transport.pool.giveBack(job);
        unlink(job);
    }

    private void unlink(Job job) {
        if (transport.current == job) {
            transport.current = job.next;
        }
        transport.candidates.leaves(job);
        preemption.leave(job);
        transport.jobs.leave(job);
    }

    @Override
    public void forget(Job job) {
        transport.pool.giveBack(job);
        if (job.isOnList()) {
            unlink(job);
        }
        if (transport.pause != null && transport.pause.job() == job) {
            transport.pause = null;
        }
    }
}
