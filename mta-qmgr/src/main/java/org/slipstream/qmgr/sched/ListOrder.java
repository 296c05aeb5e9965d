package org.slipstream.qmgr.sched;

/// The order of service as a list of jobs: first come, first served, except where [Preemption] lets small mail pass.
///
/// **One selection.** The current job, from which an entry was taken last, may let another pass (PF-43). Then the list is walked
/// from there: a job with a peer whose destination has room gives an entry and is the current one from now on; a job without is
/// marked a blocker and passed over ([Blockers]); a job that has nothing left in memory is retired until more of it is
/// read. A job that was passed over is not looked at again until a destination has room: the walk starts at the current job and not
/// at the head.
///
/// **In the middle of it** recipients may have to be read. The original waits for the disk. Here the search pauses where it
/// stands ([Pause]) and, when they are there, continues exactly at that place, unless a job in front has got another
/// chance in between. When answers come at once the decisions are the original's, one for one.
final class ListOrder implements ServiceOrder {
    /// Refusals for the message's sake after which the search goes on to the next message. A further destination might have
    /// a connection that the message may use, but ten thousand destinations are not asked at every event.
    private static final int MOST_REFUSALS = 8;

    /// Jobs that are asked about in vain because bulk mail has to wait for its turn at a destination. When that many were
    /// asked, the destination is taken as one without a seat: ten thousand mailings to one place are not asked at every event.
    private static final int MOST_HELD = 64;

    final Blockers blockers;
    final JobList jobs;
    private final CandidateSearch candidates;
    private final Preemption preemption;
    private final ReadyDestinations ready;
    private final RecipientPool pool;
    private final Batches batches;
    private final SchedTrace trace;

    /// Where the next search starts, or none: everything in front of it is blocked.
    Job current;

    /// A search that waits for recipients, or none.
    private Pause pause;

    /// A job was passed over for its message's sake, and nothing has happened since that could change that.
    private boolean rationed;

    /// Held back in this search, since the last that was not.
    private int held;

    /// @param preempts whether a job may pass another at all
    /// @param marksRuns see [Blockers]
    ListOrder(Transport transport, boolean preempts, CandidateSearch.Factory search, boolean marksRuns,
            ReadyDestinations ready,
            RecipientPool pool, Batches batches, SchedTrace trace) {
        this.blockers = new Blockers(marksRuns);
        this.jobs = new JobList(blockers);
        this.candidates = search.of(jobs, blockers);
        this.preemption = new Preemption(transport, preempts, jobs, candidates, pool, trace);
        this.ready = ready;
        this.pool = pool;
        this.batches = batches;
        this.trace = trace;
    }

    /// The search stands at this job, whose recipients are being read.
    ///
    /// @param afterLooking the reading was ordered because nothing could go; otherwise before looking
    private record Pause(Job job, boolean afterLooking) {}

    // ---- choosing

    @Override
    public Choice next(Gate gate, long nowMillis) {
        Pause paused = pause;
        pause = null;
        held = 0;
        if (current == null) {
            return Choice.NOTHING;
        }
        // Meanwhile a job in front may have got another chance; then the search begins there.
        if (paused == null || current != paused.job()) {
            current = preemption.attempt(current, nowMillis);
            return walk(current, Phase.FRESH, gate, nowMillis);
        }
        return walk(current, paused.afterLooking() ? Phase.LAST_LOOK : Phase.TOPPED_UP, gate, nowMillis);
    }

    @Override
    public boolean isPaused() {
        return pause != null;
    }

    @Override
    public boolean canResume() {
        return pause != null && !pause.job().message.reading;
    }

    @Override
    public void cancelPause() {
        pause = null;
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
            if (blockers.isKnown(job)) {
                next = blockers.mark(job).next;
            } else {
                if (here == Phase.FRESH && batches.isRefillDue(job, nowMillis)) {
                    return pause(job, false);
                }
                switch (look(job, gate)) {
                    case Look.Go(Peer peer) -> {
                        return new Choice.Taken(take(peer));
                    }
                    case Look.Nowhere _ -> {
                        current = job;
                        return Choice.NOTHING;
                    }
                    case Look.Later _ -> next = passOver(job);
                    case Look.None _ -> {
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
        current = null;
        return Choice.NOTHING;
    }

    // Where to go on.
    private Job passOver(Job job) {
        Job next = job.next;
        if (job.selected < job.read) {
            return blockers.mark(job).next;
        }
        retire(job);
        return next;
    }

    private Choice pause(Job job, boolean afterLooking) {
        batches.requestMore(job.message);
        // Everything in front of it is blocked, so this is where a search begins.
        current = job;
        pause = new Pause(job, afterLooking);
        return Choice.READING;
    }

    /// What a look at the peers of one job came to.
    private sealed interface Look {
        record Go(Peer peer) implements Look {}

        /// None of them may go; others may.
        record None() implements Look {}

        /// The same, and one of them only has to wait for its turn: to read more of the message would not help.
        record Later() implements Look {}

        /// There is no seat at any destination, so the search ends.
        record Nowhere() implements Look {}
    }

    private static final Look NONE = new Look.None();
    private static final Look LATER = new Look.Later();
    private static final Look NOWHERE = new Look.Nowhere();

    // The first peer in turn that may go; its successor is the next in turn (PF-25).
    private Look look(Job job, Gate gate) {
        Peer peer = job.turn;
        if (peer == null) {
            return NONE;
        }
        int refusals = 0;
        Look none = NONE;
        do {
            if (peer.waiting > 0 && peer.queue.isOpen()) {
                switch (gate.ask(job.message, peer.queue)) {
                    case FREE -> {
                        job.turn = peer.next;
                        return new Look.Go(peer);
                    }
                    case NOT_HERE -> ready.noSeat(peer.queue);
                    case NOT_YET -> {
                        none = LATER;
                        if (++held >= MOST_HELD) {
                            ready.noSeat(peer.queue);
                        }
                    }
                    case NOT_OF_MESSAGE -> {
                        rationed = true;
                        if (++refusals == MOST_REFUSALS) {
                            job.turn = peer.next;
                            return NONE;
                        }
                    }
                    case NOWHERE -> {
                        return NOWHERE;
                    }
                }
            }
            peer = peer.next;
        } while (peer != job.turn);
        return none;
    }

    private Entry take(Peer peer) {
        Job job = peer.job;
        Entry entry = peer.start();
        ready.look(peer.queue);
        job.slots.earn();
        current = job;
        candidates.serves(job);
        trace.selected(entry);
        if (job.isServed()) {
            retire(job);
        }
        return entry;
    }

    // ---- on the list and off it

    @Override
    public void hasWork(Job job) {
        if (!job.isOnList()) {
            enter(job);
        }
        // New work may be able to go where the old was not.
        if (blockers.unmark(job)) {
            current = jobs.head;
        }
    }

    private void enter(Job job) {
        boolean isInFrontOfCurrent = jobs.enter(job, current);
        pool.entered(job, jobs.enterByAge(job, pool.firstUnread));
        if (current == null || isInFrontOfCurrent) {
            current = job;
        }
    }

    @Override
    public void changed(Job job) {
        blockers.changed(job);
        candidates.changed(job);
    }

    @Override
    public void mayGo(DestinationQueue queue, boolean dead) {
        if (blockers.free(queue, dead)) {
            current = jobs.head;
            candidates.unblocked();
        }
    }

    @Override
    public void sharesMayBeFree() {
        if (rationed) {
            rationed = false;
            blockers.freeAll();
            current = jobs.head;
            candidates.unblocked();
        }
    }

    /// Takes a job off the lists. It comes back when it gets more work; what it has saved it keeps (PF-56).
    private void retire(Job job) {
        candidates.leaves(job);
        if (job.parent != null) {
            // As a rule the job that it passed is served again, so it does not become a candidate in between.
            candidates.serves(job.parent);
        }
        if (job.level > 0) {
            preemption.leaveTree(job);
        }
        pool.giveBack(job);
        unlink(job);
    }

    private void unlink(Job job) {
        if (current == job) {
            current = job.next;
        }
        candidates.leaves(job);
        preemption.leave(job);
        jobs.leave(job);
    }

    @Override
    public void forget(Job job) {
        pool.giveBack(job);
        if (job.isOnList()) {
            unlink(job);
        }
        if (pause != null && pause.job() == job) {
            pause = null;
        }
    }
}
