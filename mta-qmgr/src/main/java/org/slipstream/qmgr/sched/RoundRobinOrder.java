package org.slipstream.qmgr.sched;

import org.slipstream.core.queue.QueuePhase.Extent;

import java.util.Optional;

/// Round-robin over destinations, each first come, first served: Postfix's first queue manager,
/// kept for comparison.
///
/// **Advantages.** It is simple and cheap, and a destination with much mail cannot delay other
/// destinations: each has one turn in n.
///
/// **Disadvantages** (PF-72, PF-73). It is fair to destinations, which is not what users need. A
/// gateway with most of its mail for one inbound server gives that server one turn in n, and a
/// mailing to n − 1 other domains takes all other turns. And within a destination a small message
/// waits for the whole mailing. Both end when *messages* take turns instead of destinations, and
/// small ones may pass large ones ([ListOrder], [Preemption]).
///
/// **Method.** The destination queues of the transport are a ring. The first that can go gives its
/// oldest entry; it and those before it move to the end, so that its successor is first next time.
/// One thing is not as in Postfix, where a message has no share of the connections: when the oldest
/// entry's message has used up its share, the next messages of that destination are asked.
///
/// **Memory.** As in the first queue manager, no batch is read before the previous one is finished.
/// No search waits for recipients.
final class RoundRobinOrder implements ServiceOrder {
    /// Messages that are asked after the first of a destination has used up its share. The search must
    /// not ask for ten thousand messages at every event.
    private static final int MOST_REFUSALS = 8;

    /// Entries among which they are found: a mailing behind its own first entry is passed quickly.
    private static final int MOST_LOOKED_AT = 1_000;

    final JobList jobs = new JobList(new Blockers(false));
    private final DestinationQueues destinations;
    private final ReadyDestinations ready;
    private final RecipientPool pool;
    private final SchedTrace trace;

    RoundRobinOrder(DestinationQueues destinations, ReadyDestinations ready, RecipientPool pool, SchedTrace trace) {
        this.destinations = destinations;
        this.ready = ready;
        this.pool = pool;
        this.trace = trace;
    }

    @Override
    public <S> Choice<S> next(Gate<S> gate, long nowMillis) {
        int passed = 0;
        for (DestinationQueue queue : destinations.all()) {
            passed++;
            if (queue.isOpen()) {
                switch (gate.ask(queue.head().message(), queue)) {
                    case Gate.GateAnswer.Free<S>(S seat) -> {
                        destinations.rotate(passed);
                        return new Choice.Taken<>(take(queue.head().peer), seat);
                    }
                    case Gate.GateAnswer.Refused<S> refused -> {
                        if (refused.isEverywhere()) {
                            return Choice.nothing();
                        }
                        Optional<Choice<S>> other = other(queue, refused.extent(), gate);
                        if (other.isPresent()) {
                            destinations.rotate(passed);
                            return other.get();
                        }
                    }
                }
            }
        }
        return Choice.nothing();
    }

    /// Another message of a destination whose first one was refused.
    private <S> Optional<Choice<S>> other(DestinationQueue queue, Extent refused, Gate<S> gate) {
        if (refused != Extent.MESSAGE) {
            if (refused != Extent.BULK) {
                ready.noSeat(queue);
            }
            return Optional.empty();
        }
        for (Entry entry : (Iterable<Entry>) queue.firstOfOthers(MOST_REFUSALS, MOST_LOOKED_AT)::iterator) {
            if (gate.ask(entry.message(), queue) instanceof Gate.GateAnswer.Free<S>(S seat)) {
                return Optional.of(new Choice.Taken<>(take(entry.peer), seat));
            }
        }
        return Optional.empty();
    }

    Entry take(Peer peer) {
        Entry entry = peer.start();
        ready.look(peer.queue);
        trace.selected(entry);
        if (peer.job.isServed()) {
            leave(peer.job);
        }
        return entry;
    }

    @Override
    public JobList jobs() {
        return jobs;
    }

    @Override
    public void hasWork(Job job) {
        if (!job.isOnList()) {
            jobs.enter(job, null);
            pool.entered(job, jobs.enterByAge(job, pool.firstUnread));
        }
    }

    @Override
    public void changed(Job job) {
        if (job.isOnList() && job.isServed()) {
            leave(job);
        }
    }

    @Override
    public void mayGo(DestinationQueue queue, boolean dead) {
        // The queue is examined in its turn.
    }

    @Override
    public void sharesMayBeFree() {
        // No job is marked for its share.
    }

    @Override
    public void forget(Job job) {
        pool.giveBack(job);
        if (job.isOnList()) {
            leave(job);
        }
    }

    private void leave(Job job) {
        pool.giveBack(job);
        jobs.leave(job);
    }
}
