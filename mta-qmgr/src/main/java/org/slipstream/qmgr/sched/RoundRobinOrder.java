package org.slipstream.qmgr.sched;

/// Destinations take turns, and each serves its mail in the order in which it came: Postfix's first queue manager, kept to show
/// why it was replaced.
///
/// **What is good about it.** It is simple, it costs nothing, and a destination with much mail cannot keep other destinations
/// waiting: each has one turn in n.
///
/// **What is not** (PF-72, PF-73). It is fair to destinations, which is not what users need. A gateway whose own users' mail goes to one
/// inbound server gets one turn in n for it, although that may be most of what it has to do, and a mailing to n − 1 other
/// domains takes all the rest. And within a destination there is no remedy at all: a letter to where a mailing goes
/// waits for the whole mailing. Both are cured when turns are a matter of *messages* and not of destinations, and small ones may
/// pass large ones ([ListOrder], [Preemption]).
///
/// **How.** The lines of the transport are the ring: the first in order that may go gives its oldest entry; it
/// and those in front of it move to the end, so that its successor is first next time.
///
/// **Memory.** As the old one did: no batch is read before the one before it is finished. No search waits for recipients.
final class RoundRobinOrder implements ServiceOrder {
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
    public Choice next(Gate gate, long nowMillis) {
        int passed = 0;
        for (DestinationQueue queue : destinations.all()) {
            passed++;
            if (queue.isOpen()) {
                switch (gate.ask(queue.first.message(), queue)) {
                    case FREE -> {
                        destinations.rotate(passed);
                        return new Choice.Taken(take(queue.first.peer));
                    }
                    case NOT_HERE -> ready.noSeat(queue);
                    case NOT_OF_MESSAGE, NOT_YET -> {
                        // The next selection asks again.
                    }
                    case NOWHERE -> {
                        return Choice.NOTHING;
                    }
                }
            }
        }
        return Choice.NOTHING;
    }

    private Entry take(Peer peer) {
        Entry entry = peer.start();
        ready.look(peer.queue);
        trace.selected(entry);
        if (peer.job.isServed()) {
            leave(peer.job);
        }
        return entry;
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
        // The line is looked at when its turn comes.
    }

    @Override
    public void sharesMayBeFree() {
        // No job is marked for that.
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
