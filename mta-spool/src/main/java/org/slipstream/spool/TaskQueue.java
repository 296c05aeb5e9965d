package org.slipstream.spool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// What waits for the writer. Any thread adds, the writer alone takes, in groups: whatever is there, up to 1024 tasks or
/// 8 MiB, and nothing is waited for once there is something.
final class TaskQueue {
    static final int GROUP_TASKS = 1024;
    static final long GROUP_BYTES = 8 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(TaskQueue.class);

    private final BlockingQueue<Task> queue = new LinkedBlockingQueue<>();
    private final Object door = new Object();
    private boolean closed;
    private boolean ended;
    private volatile long groups;
    private volatile boolean away;

    /// @return false when nothing more is taken
    boolean add(Task task) {
        // A lock, so that nothing gets in behind the last task; held for the time of an enqueue.
        synchronized (door) {
            return !closed && queue.add(task);
        }
    }

    void close() {
        synchronized (door) {
            if (!closed) {
                closed = true;
                queue.add(new Task.Stop());
            }
        }
    }

    /// The writer's: true when the last group has been taken.
    boolean hasEnded() {
        return ended;
    }

    /// The writer's: empty when `waitNanos` have passed without a task.
    List<Task> nextGroup(long waitNanos) {
        List<Task> group = new ArrayList<>();
        long bytes = 0;
        away = false;
        Task task = first(waitNanos);
        // Before the queue is emptied: whoever adds and does not see it is still taken.
        groups++;
        away = true;
        while (task != null) {
            if (task instanceof Task.Stop) {
                ended = true;
                return group;
            }
            if (task instanceof Task.Deposit deposit && !deposit.settle()) {
                task = queue.poll();
                continue;
            }
            group.add(task);
            bytes += task instanceof Task.Deposit deposit ? deposit.letter().groupBytes() : 0;
            task = group.size() < GROUP_TASKS && bytes < GROUP_BYTES ? queue.poll() : null;
        }
        return group;
    }

    /// Any thread: letters that wait since before `nanos` are given up, in the order in which they came.
    void giveUp(long nanos, Consumer<Task.Deposit> then) {
        for (Task task : queue) {
            if (task instanceof Task.Deposit deposit && deposit.sinceNanos() - nanos < 0 && deposit.settle()) {
                then.accept(deposit);
            }
        }
    }

    /// Any thread: the number of the group with which the writer is busy, and which has been taken without what is added now.
    OptionalLong runningGroup() {
        return away ? OptionalLong.of(groups) : OptionalLong.empty();
    }

    private Task first(long nanos) {
        try {
            return nanos == Long.MAX_VALUE ? queue.take() : queue.poll(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            LOG.warn("event=writer-interrupted");
            return null;
        }
    }
}
