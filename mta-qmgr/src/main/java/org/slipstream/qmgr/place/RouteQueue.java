package org.slipstream.qmgr.place;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/// The queue of route lookups: Finch's routing scheduler (FI-05, FI-06). A message with many slow
/// domains cannot delay the lookups of other messages.
///
/// A mailing list requests the routes of a thousand domains at once, and the name servers of some
/// do not reply for twenty seconds. In order of arrival, the next message waits behind all of them
/// for one answer that would take milliseconds. More workers only move the point at which that
/// happens.
///
/// The limit is the one of connections ([WorkerBudget]): a message may have another worker when it
/// has fewer than a small number, or fewer than a multiple of the free ones. Here all workers are
/// alike and nothing stays open between jobs, so the scheduler is one rule: **take the first job,
/// in order of arrival, whose message is allowed**. The list gets ten elevenths of the workers as
/// long as it is alone, and the others are free for new messages. A slow domain occupies only the
/// worker that waits for it.
///
/// Messages that may not have another worker are skipped. Each of them has at least the floor of
/// workers already, so there are at most workers ÷ floor of them, which bounds the cost of a
/// choice. Within a message the order of arrival holds.
///
/// Not thread-safe.
public final class RouteQueue {
    private final WorkerBudget budget;
    private final Map<Owner, Deque<RouteQuestion>> waiting = new LinkedHashMap<>();
    /// The first job of each message, in order of arrival.
    private final NavigableMap<Long, RouteQuestion> heads = new TreeMap<>();
    private long arrivals;
    private int waitingJobs;

    /// A request for the route of a domain.
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

    /// Adds a request.
    public void add(Owner owner, String domain) {
        RouteQuestion job = new RouteQuestion(arrivals++, owner, domain);
        Deque<RouteQuestion> queue = waiting.computeIfAbsent(owner, _ -> new ArrayDeque<>(1));
        queue.add(job);
        waitingJobs++;
        if (queue.size() == 1) {
            heads.put(job.number(), job);
        }
    }

    /// Starts the next job. Empty when there is none, no worker is free, or no message may have
    /// one.
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
        Deque<RouteQuestion> queue = Objects.requireNonNull(waiting.get(job.owner()));
        queue.remove();
        waitingJobs--;
        if (queue.isEmpty()) {
            waiting.remove(job.owner());
        } else {
            heads.put(queue.element().number(), queue.element());
        }
        budget.begins(job.owner());
    }

    /// A job finished; others may start.
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
