package org.slipstream.qmgr.run;

import org.slipstream.core.queue.MessageSummary;
import org.slipstream.qmgr.QueueQueries;
import org.slipstream.qmgr.event.QmgrEvent;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/// The inbox of the queue manager's thread. Any thread may add events without blocking; only that
/// thread removes them.
///
/// Answers are always accepted: there are never more of them than orders in flight, and an order
/// without its answer would block a message indefinitely. Announcements may be refused, because the
/// messages are safe on disk; the queue manager then gets [QmgrEvent.ArrivalsMissed] and finds them
/// with a scan.
public final class Inbox {
    private final int arrivalLimit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition filled = lock.newCondition();
    private List<InboxItem> items = new ArrayList<>();
    private int arrivals;
    private boolean missed;
    private boolean woken;
    private boolean closed;

    /// @param arrivalLimit the largest number of waiting announcements
    public Inbox(int arrivalLimit) {
        this.arrivalLimit = arrivalLimit;
    }

    sealed interface InboxItem {
        record Event(QmgrEvent event) implements InboxItem {}

        record Inspection<T>(Function<QueueQueries, T> question, CompletableFuture<T> answer) implements InboxItem {
            void run(QueueQueries queries) {
                try {
                    answer.complete(question.apply(queries));
                } catch (RuntimeException broken) {
                    answer.completeExceptionally(broken);
                }
            }
        }
    }

    /// Announces a committed message. False when the inbox is full; a scan will find the message.
    public boolean offerArrival(MessageSummary message) {
        lock.lock();
        try {
            if (closed || arrivals >= arrivalLimit) {
                missed = true;
                filled.signal();
                return false;
            }
            arrivals++;
            add(new InboxItem.Event(new QmgrEvent.MessageQueued(message)));
            return true;
        } finally {
            lock.unlock();
        }
    }

    /// Adds the answer to an order, or an operator's command. It is dropped after the loop has
    /// ended, since the spool then has the only valid state.
    public void answer(QmgrEvent event) {
        lock.lock();
        try {
            if (!closed) {
                add(new InboxItem.Event(event));
            }
        } finally {
            lock.unlock();
        }
    }

    /// Runs a query on the queue manager's thread. It must be fast; it cannot change anything.
    public <T> CompletableFuture<T> inspect(Function<QueueQueries, T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        lock.lock();
        try {
            if (closed) {
                answer.completeExceptionally(new RejectedExecutionException("the queue manager has stopped"));
            } else {
                add(new InboxItem.Inspection<>(question, answer));
            }
        } finally {
            lock.unlock();
        }
        return answer;
    }

    /// Removes and returns all items; blocks for an item, for [#wake], or until the timeout.
    List<InboxItem> take(long timeoutMillis) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long leftNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
            while (items.isEmpty() && !missed && !woken && leftNanos > 0) {
                leftNanos = filled.awaitNanos(leftNanos);
            }
            woken = false;
            return takeAll();
        } finally {
            lock.unlock();
        }
    }

    /// Ends a wait.
    void wake() {
        lock.lock();
        try {
            woken = true;
            filled.signal();
        } finally {
            lock.unlock();
        }
    }

    /// Closes the inbox; pending inspections fail.
    void close() {
        List<InboxItem> rest;
        lock.lock();
        try {
            closed = true;
            rest = takeAll();
        } finally {
            lock.unlock();
        }
        for (InboxItem item : rest) {
            if (item instanceof InboxItem.Inspection<?> inspection) {
                inspection.answer()
                        .completeExceptionally(new RejectedExecutionException("the queue manager has stopped"));
            }
        }
    }

    private void add(InboxItem item) {
        items.add(item);
        filled.signal();
    }

    private List<InboxItem> takeAll() {
        List<InboxItem> taken = items;
        if (missed) {
            taken.add(new InboxItem.Event(new QmgrEvent.ArrivalsMissed()));
            missed = false;
        }
        items = new ArrayList<>();
        arrivals = 0;
        return taken;
    }
}
