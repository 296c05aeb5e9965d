package org.slipstream.qmgr.place;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/// Which domain is looked up next? Finch's routing scheduler (FI-05, FI-06).
///
/// A mailing list asks for the routes of a thousand domains in one breath, some of which have name servers that are silent for twenty
/// seconds. Looked up in order of arrival, the letter that comes next waits behind all of them for a single answer that would
/// take milliseconds. More workers only move the point at which that happens.
///
/// The gate is the one that also guards the connections ([WorkerBudget]): a message may have another worker when it has
/// fewer than a small number, or fewer than a multiple of the free ones. Here all workers are alike, nothing is kept open between jobs,
/// and so the whole scheduler is one rule: **take the first job, in order of arrival, whose message is allowed**. The list gets ten
/// elevenths of the workers as long as it is alone, the rest is free for whoever comes, and a domain that is slow costs
/// nobody more than the worker that waits for it.
///
/// Messages that may not have another worker are passed over. Each of them has at least the floor of workers already, so there are no more than
/// workers ÷ floor of them, and a choice takes that many looks. Within a message the order of arrival holds.
///
/// Not for several threads.
public final class RouteQueue {
    private final WorkerBudget budget;
    private final Map<Owner, Deque<RouteQuestion>> waiting = new LinkedHashMap<>();
    /// The first job of each message, in order of arrival.
    private final NavigableMap<Long, RouteQuestion> heads = new TreeMap<>();
    private long arrivals;
    private int waitingJobs;

    /// A question.
    ///
    /// @param number in order of arrival
    public record RouteQuestion(long number, Owner owner, String domain) {
        public RouteQuestion {
            Objects.requireNonNull(owner);
            Objects.requireNonNull(domain);
        }
    }

    public RouteQueue(WorkerBudget budget) {
        this.budget = budget;
    }

    /// Somebody wants to know where mail for a domain goes.
    public void add(Owner owner, String domain) {
        RouteQuestion job = new RouteQuestion(arrivals++, owner, domain);
        Deque<RouteQuestion> line = waiting.computeIfAbsent(owner, _ -> new ArrayDeque<>(1));
        line.add(job);
        waitingJobs++;
        if (line.size() == 1) {
            heads.put(job.number(), job);
        }
    }

    /// The job that begins now. Empty when there is none, no worker, or nobody who may have one.
    public Optional<RouteQuestion> next() {
        if (budget.free() == 0) {
            return Optional.empty();
        }
        Optional<RouteQuestion> job = heads.values().stream().filter(head -> budget.allows(head.owner())).findFirst();
        job.ifPresent(this::begin);
        return job;
    }

    private void begin(RouteQuestion job) {
        heads.remove(job.number());
        Deque<RouteQuestion> line = waiting.get(job.owner());
        line.remove();
        waitingJobs--;
        if (line.isEmpty()) {
            waiting.remove(job.owner());
        } else {
            heads.put(line.element().number(), line.element());
        }
        budget.begins(job.owner());
    }

    /// A job has its answer. Others may begin.
    public void done(RouteQuestion job) {
        budget.ends(job.owner());
    }

    public int waiting() {
        return waitingJobs;
    }

    public int running() {
        return budget.busy();
    }
}
