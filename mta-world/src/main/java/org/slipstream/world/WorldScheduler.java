package org.slipstream.world;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// All threads of a world, on one thread of the JVM, in an order drawn from the seed.
///
/// Each thread of the program is a virtual thread whose scheduler is an executor of this class. It
/// runs until it blocks: at a lock, a queue, a monitor, a sleep, the network, the disk. Then the next
/// of those that are ready is drawn. When none is ready, the clock moves to the next timer. So waiting
/// costs no time, and the same seed gives the same order: only one thread runs at any moment.
///
/// A *process* of the world is a set of threads that can be killed: its threads are dropped where
/// they stand, and never run again. No `finally` of theirs runs, as after SIGKILL.
final class WorldScheduler {
    /// The cost of each turn of a thread on the clock of the world.
    private static final long TURN_NANOS = 1_000;
    /// A thread that asks the time so often in one turn is waiting for it to pass.
    private static final int SPINNING = 100_000;
    /// From this number on, ended threads are forgotten.
    private static final int MOST_THREADS = 200;

    private final Random random;
    private final Thread loop = Thread.currentThread();
    private final List<Turn> ready = new ArrayList<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final Set<Thread> atMonitors = new LinkedHashSet<>();
    private final Deque<Process> current = new ArrayDeque<>();
    private final Deque<Runnable> next = new ArrayDeque<>();
    private long nanos = 1_000_000_000L;
    private long sequence;
    private long turns;
    private long hash = 17;
    private int questions;
    private volatile String stranger = "";

    /// The threads of one program, or of one peer.
    final class Process implements Executor {
        private final String name;
        /// Those that have waited at least once, by number. Weak: a thread of a static pool outlives its world and
        /// would keep all others of its process.
        private final Map<Long, WeakReference<Thread>> threads = new LinkedHashMap<>();
        private int most = MOST_THREADS;
        private boolean dead;

        private Process(String name) {
            this.name = name;
        }

        @Override
        public void execute(Runnable turn) {
            if (Thread.currentThread() != loop && !Thread.currentThread().isVirtual()) {
                stranger = Thread.currentThread().getName();
            }
            if (!dead) {
                ready.add(new Turn(this, turn, sequence++));
            }
        }

        void kill() {
            dead = true;
            threads.clear();
            ready.removeIf(each -> each.process == this);
        }

        boolean isDead() {
            return dead;
        }

        String name() {
            return name;
        }

        /// The threads that have begun and not ended.
        List<Thread> threads() {
            List<Thread> alive = new ArrayList<>();
            threads.values().removeIf(each -> {
                Thread thread = each.get();
                if (thread == null || !thread.isAlive()) {
                    return true;
                }
                alive.add(thread);
                return false;
            });
            return alive;
        }

        private void add(Thread thread) {
            threads.putIfAbsent(thread.threadId(), new WeakReference<>(thread));
            if (threads.size() > most) {
                most = Math.max(MOST_THREADS, 2 * threads().size());
            }
        }

        Thread start(String thread, Runnable task) {
            Thread made = JdkThreads.make(this, thread, task);
            made.start();
            return made;
        }
    }

    private record Turn(Process process, Runnable run, long number) {}

    private static final class Timer implements Future<Object>, Delayed {
        private static final Runnable NOTHING = () -> {};

        private final long at;
        private final long number;
        private Runnable task;
        private boolean done;

        Timer(long at, long number, Runnable task) {
            this.at = at;
            this.number = number;
            this.task = task;
        }

        @Override
        public int compareTo(Delayed other) {
            Timer timer = (Timer) other;
            return at == timer.at ? Long.compare(number, timer.number) : Long.compare(at, timer.at);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at, TimeUnit.NANOSECONDS);
        }

        @Override
        public boolean cancel(boolean interrupt) {
            boolean first = !done;
            done = true;
            // It stays in the list until its time, which may be long, with all that its task would keep.
            task = NOTHING;
            return first;
        }

        @Override
        public boolean isCancelled() {
            return done;
        }

        @Override
        public boolean isDone() {
            return done;
        }

        @Override
        public Object get() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Object get(long time, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }
    }

    WorldScheduler(long seed) {
        random = new Random(seed);
    }

    Process process(String name) {
        return new Process(name);
    }

    boolean has(Thread thread) {
        return thread == loop || thread.isVirtual();
    }

    /// The clock without jumps. It moves by itself for a thread that only asks.
    long nanoTime() {
        if (++questions > SPINNING) {
            nanos += 1_000;
        }
        return nanos;
    }

    long now() {
        return nanos;
    }

    Future<?> schedule(Runnable task, long delayNanos) {
        Timer timer = new Timer(nanos + Math.max(0, Math.min(delayNanos, Long.MAX_VALUE / 4)), sequence++, task);
        timers.add(timer);
        return timer;
    }

    /// To be run when the present turn has ended, before any other.
    void afterTurn(Runnable task) {
        next.add(task);
    }

    /// A number below the bound, from the seed.
    int draw(int bound) {
        return random.nextInt(bound);
    }

    long drawLong() {
        return random.nextLong();
    }

    /// Adds an event to the fingerprint of the history.
    void note(long event) {
        hash = (hash ^ event) * 0x9E3779B97F4A7C15L + nanos;
        hash ^= hash >>> 29;
    }

    long fingerprint() {
        return hash;
    }

    long turns() {
        return turns;
    }

    /// One turn of a thread, or one timer.
    ///
    /// @param endNanos the clock does not move beyond it
    /// @return false when nothing is left to do until then
    boolean step(long endNanos) {
        if (!stranger.isEmpty()) {
            throw new IllegalStateException("a thread outside of the world works in it: " + stranger);
        }
        freeMonitors();
        if (!next.isEmpty()) {
            next.remove().run();
            return true;
        }
        if (ready.isEmpty()) {
            Timer due = timers.peek();
            if (due == null || due.at > endNanos) {
                nanos = Math.max(nanos, endNanos);
                return false;
            }
            timers.poll();
            if (!due.done) {
                nanos = Math.max(nanos, due.at);
                due.done = true;
                due.task.run();
            }
            return true;
        }
        int last = ready.size() - 1;
        int chosen = random.nextInt(ready.size());
        Turn turn = ready.get(chosen);
        ready.set(chosen, ready.get(last));
        ready.remove(last);
        turns++;
        nanos += TURN_NANOS;
        questions = 0;
        note(chosen * 31L + last);
        current.push(turn.process);
        turn.run.run();
        current.pop();
        return true;
    }

    /// The process whose thread has the turn.
    Process current() {
        return current.getFirst();
    }

    private void freeMonitors() {
        boolean freed = false;
        for (Iterator<Thread> all = atMonitors.iterator(); all.hasNext();) {
            Thread each = all.next();
            if (JdkThreads.isFreed(each)) {
                freed = true;
            } else if (!JdkThreads.isAtMonitor(each)) {
                all.remove();
            }
        }
        if (freed) {
            JdkThreads.unblockFreed();
        }
    }

    /// A thread ends its turn.
    void yielded(Thread thread) {
        current().add(thread);
        if (JdkThreads.goesToMonitor(thread)) {
            atMonitors.add(thread);
        }
    }
}
