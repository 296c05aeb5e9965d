package org.slipstream.qmgr.run;

import org.slipstream.core.MessageSummary;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.QmgrEvent;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/// What waits for the queue manager's thread. Any thread may put in, only that thread takes out; nobody waits to put in.
///
/// Answers always find room: there are never more of them than orders in flight, and an order without its answer would
/// stop a message for ever. Arrivals may be refused, because they are safe on disk; the queue manager is then told that
/// it missed some, and finds them with a scan.
public final class Inbox {
    private final int arrivalLimit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition filled = lock.newCondition();
    private List<Item> items = new ArrayList<>();
    private int arrivals;
    private boolean missed;
    private boolean woken;
    private boolean closed;

    /// @param arrivalLimit arrivals that may wait
    public Inbox(int arrivalLimit) {
        this.arrivalLimit = arrivalLimit;
    }

    sealed interface Item {
        record Event(QmgrEvent event) implements Item {}

        record Inspection<T>(Function<QueueManager, T> question, CompletableFuture<T> answer) implements Item {
            void run(QueueManager queueManager) {
                try {
                    answer.complete(question.apply(queueManager));
                } catch (RuntimeException broken) {
                    answer.completeExceptionally(broken);
                }
            }
        }
    }

    /// A message was committed. False when there is no room for it here; a scan will find it.
    public boolean offerArrival(MessageSummary message) {
        lock.lock();
        try {
            if (closed || arrivals >= arrivalLimit) {
                missed = true;
                filled.signal();
                return false;
            }
            arrivals++;
            add(new Item.Event(new QmgrEvent.MessageQueued(message)));
            return true;
        } finally {
            lock.unlock();
        }
    }

    /// The answer to an order, or an operator's word. Dropped after the loop has ended: the spool knows more than a
    /// queue manager that is no longer there.
    public void answer(QmgrEvent event) {
        lock.lock();
        try {
            if (!closed) {
                add(new Item.Event(event));
            }
        } finally {
            lock.unlock();
        }
    }

    /// Asks on the queue manager's thread. The question must not change anything, and be quick.
    public <T> CompletableFuture<T> inspect(Function<QueueManager, T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        lock.lock();
        try {
            if (closed) {
                answer.completeExceptionally(new RejectedExecutionException("the queue manager has stopped"));
            } else {
                add(new Item.Inspection<>(question, answer));
            }
        } finally {
            lock.unlock();
        }
        return answer;
    }

    /// Everything that waits; when there is nothing, waits for something, for [#wake], or until the time is over.
    List<Item> take(long timeoutMillis) throws InterruptedException {
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

    /// No more is taken in; who waits for an inspection is told so.
    void close() {
        List<Item> rest;
        lock.lock();
        try {
            closed = true;
            rest = takeAll();
        } finally {
            lock.unlock();
        }
        for (Item item : rest) {
            if (item instanceof Item.Inspection<?> inspection) {
                inspection.answer()
                        .completeExceptionally(new RejectedExecutionException("the queue manager has stopped"));
            }
        }
    }

    private void add(Item item) {
        items.add(item);
        filled.signal();
    }

    private List<Item> takeAll() {
        List<Item> taken = items;
        if (missed) {
            taken.add(new Item.Event(new QmgrEvent.ArrivalsMissed()));
            missed = false;
        }
        items = new ArrayList<>();
        arrivals = 0;
        return taken;
    }
}
