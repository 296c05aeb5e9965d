package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Tasks that wait for the log thread. Any thread adds. The log thread alone takes, in groups of
/// what is there: up to 1024 messages or 8 MiB of them, and up to 1024 other tasks. It takes a
/// group as soon as there is one task.
///
/// Messages have a queue of their own, so that a new message waits for one group at most, however
/// many changes an operator ordered before. The changes keep their order; no change is about a
/// message that has not been committed.
final class TaskQueue {
    static final int GROUP_TASKS = 1024;
    static final long GROUP_BYTES = 8 << 20;

    private static final Logger log = LoggerFactory.getLogger(TaskQueue.class);

    private final Queue<Task.Deposit> messages = new ConcurrentLinkedQueue<>();
    private final Queue<Task.Lasting> changes = new ConcurrentLinkedQueue<>();
    /// One permit for each queued task, and one for the end.
    private final Semaphore waiting = new Semaphore(0);
    private final Object lock = new Object();
    private volatile boolean closed;
    private boolean ended;

    /// @return false when no more tasks are taken
    boolean add(Task task) {
        // A lock, so that no task is added after the end; held for the time of an enqueue.
        synchronized (lock) {
            if (closed) {
                return false;
            }
            switch (task) {
                case Task.Deposit message -> messages.add(message);
                case Task.Lasting change -> changes.add(change);
            }
        }
        waiting.release();
        return true;
    }

    void close() {
        synchronized (lock) {
            closed = true;
        }
        waiting.release();
    }

    /// Any thread.
    boolean isClosed() {
        return closed;
    }

    /// For the log thread: true when the last group has been taken.
    boolean hasEnded() {
        return ended;
    }

    /// For the log thread, after [#await]: what is there by now.
    List<Task> nextGroup() {
        boolean last = closed;
        List<Task> group = new ArrayList<>();
        int taken = takeMessages(group) + takeChanges(group);
        // One permit has been acquired; the permit of the end stays.
        waiting.acquireUninterruptibly(Math.max(0, taken - 1));
        if (taken == 0) {
            ended = last;
        }
        return group;
    }

    /// @return number of messages removed from the queue, including those that had been given up
    private int takeMessages(List<Task> group) {
        int taken = 0;
        long bytes = 0;
        while (group.size() < GROUP_TASKS && bytes < GROUP_BYTES && !messages.isEmpty()) {
            Task.Deposit message = messages.remove();
            taken++;
            if (message.settle()) {
                group.add(message);
                bytes += message.message().groupBytes();
            }
        }
        return taken;
    }

    private int takeChanges(List<Task> group) {
        int taken = 0;
        while (taken < GROUP_TASKS && !changes.isEmpty()) {
            group.add(changes.remove());
            taken++;
        }
        return taken;
    }

    /// Any thread: gives up messages that have waited since before `nanos`, in order of arrival.
    void giveUp(long nanos, Consumer<Task.Deposit> then) {
        for (Task.Deposit deposit : messages) {
            if (deposit.sinceNanos() - nanos < 0 && deposit.settle()) {
                then.accept(deposit);
            }
        }
    }

    /// For the log thread.
    ///
    /// @return false when `nanos` have passed without a task
    boolean await(long nanos) {
        try {
            return waiting.tryAcquire(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            log.warn("event=writer-interrupted");
            return false;
        }
    }
}
