package org.slipstream.qmgr.sched;

import org.slipstream.core.Route;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The state of one transport: its destination queues, its jobs in their order of service, and its
/// memory.
///
/// The [Scheduler] lets transports take turns. No other class has access to these parts together:
/// each part gets its collaborators in the constructor, and only those before it in the reading
/// order.
final class TransportQueues {
    final Transport transport;
    final DestinationQueues destinations;
    final ReadyDestinations ready = new ReadyDestinations();
    final RecipientPool pool;
    final ServiceOrder order;

    /// The transport is dead; no entry is taken.
    boolean dead;

    TransportQueues(Transport transport, OrderPolicy policy, CandidateSearch.Factory search, boolean marksRuns,
            Batches batches, SchedTrace trace) {
        this.transport = transport;
        this.destinations = new DestinationQueues(transport);
        this.pool = new RecipientPool(transport.rules());
        this.order = switch (policy) {
            case PREEMPTIVE -> new ListOrder(transport, true, search, marksRuns, ready, pool, batches, trace);
            case FIFO -> new ListOrder(transport, false, search, marksRuns, ready, pool, batches, trace);
            case ROUND_ROBIN -> new RoundRobinOrder(destinations, ready, pool, trace);
            case THREADS ->
                new SynchronousThreads(destinations, new RoundRobinOrder(destinations, ready, pool, trace));
        };
    }

    /// The next entry of this transport, if one can go.
    <S> Choice<S> next(Gate<S> gate, long nowMillis) {
        if (isReady(gate)) {
            return order.next(gate, nowMillis);
        }
        order.cancelPause(); // when nothing can go any more there is nothing to continue
        return Choice.nothing();
    }

    private boolean isReady(Gate<?> gate) {
        return !dead && ready.isAnyOpen(gate);
    }

    void change(ServiceRules rules) {
        transport.change(rules);
        pool.change(rules);
    }

    DestinationQueue queue(Route route, String key) {
        return destinations.queue(route, key);
    }

    void drop(DestinationQueue queue) {
        if (destinations.remove(queue)) {
            ready.forget(queue.hop);
        }
    }

    /// An event that may let an entry of this queue go.
    void mayGo(DestinationQueue queue, boolean isDead) {
        seatsMayBeFree(queue.hop);
        order.mayGo(queue, isDead);
    }

    /// Seats may have become free at this next hop.
    void seatsMayBeFree(NextHop hop) {
        if (ready.seatsMayBeFree(hop)) {
            hop.open.forEach(queue -> order.mayGo(queue, false));
        }
    }

    /// Seats may have become free anywhere.
    void seatsMayBeFree() {
        ready.withoutSeat().forEach(this::seatsMayBeFree);
        order.sharesMayBeFree();
    }

    /// The first jobs in their order of service, for operators.
    JobsSnapshot.TransportJobs snapshot(int most) {
        List<JobsSnapshot.JobLine> lines = new ArrayList<>();
        for (Job job = order.jobs().head; job != null && lines.size() < most; job = job.next) {
            lines.add(new JobsSnapshot.JobLine(job.message.id, Math.max(0, job.level),
                    Optional.ofNullable(job.parent).map(parent -> parent.message.id), job.selected,
                    job.mostEntriesLeft(), job.message.running, job.slots.balance, job == order.current()));
        }
        ServiceRules rules = transport.rules();
        return new JobsSnapshot.TransportJobs(transport.name(), dead, rules.preempts() ? rules.slotCost() : 0,
                order.jobs().size(), order.preemptions(), lines, order.latestPreemptions());
    }
}
