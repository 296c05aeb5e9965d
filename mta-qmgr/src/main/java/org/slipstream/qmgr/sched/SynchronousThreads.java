package org.slipstream.qmgr.sched;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashSet;
import java.util.Set;

/// Threads in the order of their wake-up, each started synchronously: the older style of ZMailer's
/// scheduler, kept for comparison.
///
/// A thread is a destination with its mail (ZM-01). In the older style all threads are one chain,
/// ordered by the time of their wake-up. The scheduler walks it, starts a transport agent for each
/// thread, and goes on when that start has succeeded or failed. The agent has one delivery at a time
/// and serves its thread to the end.
///
/// **Advantages.** It is a list and a loop, and a thread that woke first is served first.
///
/// **Disadvantages.** A start that takes long keeps all threads behind it waiting, although agents are
/// free: a host that never greets costs every other destination the whole timeout. When all agents are
/// taken, a new thread waits until another one has no mail left, whatever their sizes are. ZMailer's
/// rings ended both: starts are events, and an agent whose thread is empty takes another of its ring.
///
/// **Model.** The chain is the order in which destinations got their mail. A start ends with the first
/// outcome of its thread. Memory and lists of jobs are those of [RoundRobinOrder].
final class SynchronousThreads implements ServiceOrder {
    private final DestinationQueues destinations;
    private final RoundRobinOrder base;

    /// Threads with an agent, in the order of their starts.
    private final Set<DestinationQueue> started = new LinkedHashSet<>();

    /// The thread whose start is not complete.
    private @Nullable DestinationQueue starting;

    SynchronousThreads(DestinationQueues destinations, RoundRobinOrder base) {
        this.destinations = destinations;
        this.base = base;
    }

    @Override
    public <S> Choice<S> next(Gate<S> gate, long nowMillis) {
        started.removeIf(DestinationQueue::isEmpty);
        if (starting != null && starting.running == 0) {
            starting = null;
        }
        for (DestinationQueue thread : started) {
            if (thread.running == 0 && thread.isOpen() && gate.ask(thread.head().message(),
                    thread) instanceof Gate.GateAnswer.Free<S>(S seat)) {
                return new Choice.Taken<>(base.take(thread.head().peer), seat);
            }
        }
        return starting == null ? start(gate) : Choice.nothing();
    }

    /// The first thread of the chain without an agent. If it cannot start, those behind it wait.
    private <S> Choice<S> start(Gate<S> gate) {
        for (DestinationQueue thread : destinations.all()) {
            if (thread.waiting > 0 && thread.hasRoom() && !started.contains(thread)) {
                if (thread.isOpen()
                        && gate.ask(thread.head().message(), thread) instanceof Gate.GateAnswer.Free<S>(S seat)) {
                    started.add(thread);
                    starting = thread;
                    return new Choice.Taken<>(base.take(thread.head().peer), seat);
                }
                return Choice.nothing();
            }
        }
        return Choice.nothing();
    }

    @Override
    public boolean holdsBack() {
        return true;
    }

    @Override
    public JobList jobs() {
        return base.jobs();
    }

    @Override
    public void hasWork(Job job) {
        base.hasWork(job);
    }

    @Override
    public void changed(Job job) {
        base.changed(job);
    }

    @Override
    public void mayGo(DestinationQueue queue, boolean dead) {
        // The chain is walked at the next selection.
    }

    @Override
    public void sharesMayBeFree() {
        // No job is marked for its share.
    }

    @Override
    public void forget(Job job) {
        base.forget(job);
    }
}
