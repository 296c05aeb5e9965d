package org.slipstream.qmgr.sched;

import org.jspecify.annotations.Nullable;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.QueuePhase.Extent;
import org.slipstream.qmgr.sched.Gate.GateAnswer;
import org.slipstream.qmgr.sched.JobsSnapshot.PassedJob;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// The order of service as a list of jobs: first come, first served, except where [Preemption] lets
/// small mail pass.
///
/// **One selection.** The current job, the one that gave the previous entry, may let another job
/// pass (PF-43). Then the search walks the list from there. A job with a peer that can go gives an
/// entry and becomes the current job. A job without one is marked as blocked and skipped
/// ([Blockers]). A job without entries in memory is retired until more is read. A skipped job is
/// not examined again until a destination becomes ready: the walk starts at the current job, not at
/// the head.
///
/// **Reads during a search.** Recipients may have to be read. Postfix blocks for the disk. Here the
/// search pauses ([Pause]) and continues at the same place when the recipients are in memory,
/// unless an earlier job has become ready. When reads are immediate, the decisions are identical to
/// Postfix's.
final class ListOrder implements ServiceOrder {
    /// Refusals by the message's share after which the search goes to the next message. Another
    /// destination might have a connection that the message may use, but the search must not ask
    /// ten thousand destinations at every event.
    private static final int MOST_REFUSALS = 8;

    /// Bulk jobs held back at a destination in one search after which the destination counts as one
    /// without a seat: the search must not ask for ten thousand mailings to one destination at
    /// every event.
    private static final int MOST_HELD = 64;

    final Blockers blockers;
    final JobList jobs;
    private final CandidateSearch candidates;
    private final Preemption preemption;
    private final ReadyDestinations ready;
    private final RecipientPool pool;
    private final Batches batches;
    private final SchedTrace trace;

    /// Start of the next search, or null; everything before it is blocked.
    @Nullable
    Job current;

    /// A search that waits for recipients, or null.
    private @Nullable Pause pause;

    /// A job was skipped because of its message's share, and no event since then could change that.
    private boolean rationed;

    /// Consecutive jobs that were held back in this search.
    private int held;

    /// @param preempts whether jobs may preempt
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

    /// A search that is paused at this job while its recipients are read.
    ///
    /// @param afterLooking true when the read was ordered because no peer could go; otherwise it
    /// precedes the look at the peers
    private record Pause(Job job, boolean afterLooking) {}

    // ---- choosing

    @Override
    public <S> Choice<S> next(Gate<S> gate, long nowMillis) {
        Pause paused = pause;
        pause = null;
        held = 0;
        if (current == null) {
            return Choice.nothing();
        }
        // An earlier job may have become ready during the pause; then the search begins there.
        if (paused == null || current != paused.job()) {
            current = preemption.attempt(current, nowMillis);
            return walk(current, Phase.FRESH, gate, nowMillis);
        }
        return walk(current, paused.afterLooking() ? Phase.LAST_LOOK : Phase.TOPPED_UP, gate, nowMillis);
    }

    @Override
    public JobList jobs() {
        return jobs;
    }

    @Override
    public @Nullable Job current() {
        return current;
    }

    @Override
    public long preemptions() {
        return preemption.count();
    }

    @Override
    public List<PassedJob> latestPreemptions() {
        return preemption.latest();
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

    /// The progress of the search at one job: not started, recipients refilled where due, or read
    /// because no peer could go.
    private enum Phase {
        FRESH, TOPPED_UP, LAST_LOOK
    }

    private <S> Choice<S> walk(Job start, Phase phase, Gate<S> gate, long nowMillis) {
        Phase here = phase;
        for (Job job = start; job != null;) {
            Job next = job.next;
            if (blockers.isKnown(job)) {
                rationed |= blockers.waitsForLimit(job);
                next = blockers.mark(job, Optional.empty()).next;
            } else {
                if (here == Phase.FRESH && batches.isRefillDue(job, nowMillis)) {
                    return pause(job, false);
                }
                GateAnswer<S> answer = look(job, gate);
                if (answer instanceof GateAnswer.Free<S>(S seat)) {
                    return taken(job, seat, gate);
                }
                GateAnswer.Refused<S> refused = (GateAnswer.Refused<S>) answer;
                if (refused.isEverywhere()) {
                    current = job;
                    return Choice.nothing();
                }
                // When a peer only waits for its start slot, another read would not help.
                if (refused.extent() != Extent.BULK && here != Phase.LAST_LOOK && batches.canRead(job.message)) {
                    return pause(job, true);
                }
                next = passOver(job, refused.blocker());
            }
            here = Phase.FRESH;
            job = next;
        }
        current = null;
        return Choice.nothing();
    }

    // Returns the next job of the walk.
    private @Nullable Job passOver(Job job, Optional<Blocker> limit) {
        Job next = job.next;
        if (job.selected < job.read) {
            return blockers.mark(job, limit).next;
        }
        retire(job);
        return next;
    }

    private <S> Choice<S> pause(Job job, boolean afterLooking) {
        batches.requestMore(job.message);
        // Everything before this job is blocked, so the next search begins here.
        current = job;
        pause = new Pause(job, afterLooking);
        return Choice.reading();
    }

    /// Looks at the peers of a job in turn (PF-25). With a seat, the peer in turn is the one that has
    /// it. A refusal is that of the job as a whole: no peer can go, at present one only waits for its
    /// start slot, or no destination has a seat.
    private <S> GateAnswer<S> look(Job job, Gate<S> gate) {
        Peer peer = job.turn;
        if (peer == null) {
            return GateAnswer.refused(Code.WINDOW);
        }
        int refusals = 0;
        GateAnswer<S> none = GateAnswer.refused(Code.WINDOW);
        do {
            if (peer.waiting > 0 && peer.queue.isOpen()) {
                GateAnswer<S> answer = gate.ask(job.message, peer.queue);
                if (!(answer instanceof GateAnswer.Refused<S> refused)) {
                    job.turn = peer;
                    return answer;
                }
                switch (refused.extent()) {
                    case NONE, DESTINATION, UNPROVEN -> ready.noSeat(peer.queue);
                    case BULK -> {
                        none = GateAnswer.refused(Code.SPACING);
                        if (++held >= MOST_HELD) {
                            ready.noSeat(peer.queue);
                        }
                    }
                    case MESSAGE -> {
                        rationed = true;
                        if (job.peerCount() == 1) {
                            return refused;
                        }
                        if (++refusals == MOST_REFUSALS) {
                            job.turn = peer.next;
                            return GateAnswer.refused(Code.WINDOW);
                        }
                    }
                    case TRANSPORT, SERVER -> {
                        return answer;
                    }
                }
            }
            peer = peer.next;
        } while (peer != job.turn);
        return none;
    }

    // The peer in turn goes, unless another message of its destination is first there and has a seat
    // too.
    private <S> Choice<S> taken(Job here, S seat, Gate<S> gate) {
        Peer peer = Objects.requireNonNull(here.turn);
        here.turn = peer.next;
        if (peer.queue.order != null) {
            Peer first = peer.queue.order.next(peer.queue).peer;
            if (first != peer
                    && gate.ask(first.job.message, first.queue) instanceof GateAnswer.Free<S>(S other)) {
                return new Choice.Taken<>(take(here, first), other);
            }
        }
        return new Choice.Taken<>(take(here, peer), seat);
    }

    /// @param here the job at which the search ended: no job before it can go
    private Entry take(Job here, Peer peer) {
        Job job = peer.job;
        Entry entry = peer.start();
        ready.look(peer.queue);
        job.slots.earn();
        current = here;
        if (job != here) {
            blockers.changed(job);
        }
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
        // New entries may be ready although the old ones were blocked.
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

    /// Removes a job from the lists. It returns when it gets more entries, with its saved slots
    /// (PF-56).
    private void retire(Job job) {
        candidates.leaves(job);
        if (job.parent != null) {
            // Usually the job that it passed is served again, so that one does not become a
            // candidate in between.
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
