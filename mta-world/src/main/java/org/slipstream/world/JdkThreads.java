package org.slipstream.world;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.Random;
import java.util.concurrent.Executor;

/// The inside of the JDK, as far as a world needs it: virtual threads on an executor of its own, the
/// list of threads whose monitor has become free, and SEEDS. The options of [WorldProcess] open it.
final class JdkThreads {
    private static final MethodHandle MAKE;
    private static final MethodHandle FREED;
    private static final MethodHandle UNBLOCK;
    private static final VarHandle STATE;
    private static final VarHandle LISTED;
    private static final VarHandle NEXT;
    private static final VarHandle OWN_SEED;
    private static final VarHandle OWN_PROBE;
    private static final VarHandle OWN_SECONDARY;
    private static final int BLOCKED;
    private static final int WAIT;
    private static final int TIMED_WAIT;
    private static final int BLOCKING;
    private static final int WAITING;
    private static final int TIMED_WAITING;

    static {
        try {
            Class<?> virtual = Class.forName("java.lang.VirtualThread");
            MethodHandles.Lookup inside = MethodHandles.privateLookupIn(virtual, MethodHandles.lookup());
            Class<?> builders = Class.forName("java.lang.ThreadBuilders");
            MAKE = MethodHandles.privateLookupIn(builders, MethodHandles.lookup()).findStatic(builders,
                    "newVirtualThread",
                    MethodType.methodType(Thread.class, Executor.class, String.class, int.class, Runnable.class));
            FREED = inside.findStatic(virtual, "takeVirtualThreadListToUnblock", MethodType.methodType(virtual))
                    .asType(MethodType.methodType(Thread.class));
            UNBLOCK = inside.findVirtual(virtual, "unblock", MethodType.methodType(void.class))
                    .asType(MethodType.methodType(void.class, Thread.class));
            STATE = inside.findVarHandle(virtual, "state", int.class);
            LISTED = inside.findVarHandle(virtual, "onWaitingList", boolean.class);
            NEXT = inside.findVarHandle(virtual, "next", virtual);
            BLOCKED = (int) inside.findStaticVarHandle(virtual, "BLOCKED", int.class).get();
            WAIT = (int) inside.findStaticVarHandle(virtual, "WAIT", int.class).get();
            TIMED_WAIT = (int) inside.findStaticVarHandle(virtual, "TIMED_WAIT", int.class).get();
            BLOCKING = (int) inside.findStaticVarHandle(virtual, "BLOCKING", int.class).get();
            WAITING = (int) inside.findStaticVarHandle(virtual, "WAITING", int.class).get();
            TIMED_WAITING = (int) inside.findStaticVarHandle(virtual, "TIMED_WAITING", int.class).get();
            MethodHandles.Lookup thread = MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup());
            OWN_SEED = thread.findVarHandle(Thread.class, "threadLocalRandomSeed", long.class);
            OWN_PROBE = thread.findVarHandle(Thread.class, "threadLocalRandomProbe", int.class);
            OWN_SECONDARY = thread.findVarHandle(Thread.class, "threadLocalRandomSecondarySeed", int.class);
        } catch (ReflectiveOperationException otherJdk) {
            throw new IllegalStateException("a world needs JDK 25 and the options of WorldProcess", otherJdk);
        }
    }

    private static final Random SEEDS = new Random();

    private JdkThreads() {}

    static Thread make(Executor scheduler, String name, Runnable task) {
        try {
            return (Thread) MAKE.invokeExact(scheduler, name, 0, task);
        } catch (Throwable failed) {
            throw new IllegalStateException(failed);
        }
    }

    /// Whether the thread waits for a monitor or in `Object.wait`.
    static boolean isAtMonitor(Thread thread) {
        int state = (int) STATE.getVolatile(thread);
        return state == BLOCKED || state == WAIT || state == TIMED_WAIT;
    }

    /// Whether the thread is about to wait in this way.
    static boolean goesToMonitor(Thread thread) {
        int state = (int) STATE.getVolatile(thread);
        return state == BLOCKING || state == WAITING || state == TIMED_WAITING;
    }

    /// Whether the thread's monitor has become free.
    static boolean isFreed(Thread thread) {
        return (boolean) LISTED.getVolatile(thread);
    }

    /// Submits all threads that [#isFreed]. At least one is.
    static void unblockFreed() {
        try {
            Thread each = (Thread) FREED.invokeExact();
            while (each != null) {
                Thread next = (Thread) NEXT.get(each);
                NEXT.set(each, null);
                LISTED.setVolatile(each, false);
                UNBLOCK.invokeExact(each);
                each = next;
            }
        } catch (Throwable failed) {
            throw new IllegalStateException(failed);
        }
    }

    /// Begins the JDK's random numbers of threads again, also those of this thread: it runs the timers of all
    /// worlds, so its numbers would go on in the next one.
    static void seeds(long seed) {
        SEEDS.setSeed(seed);
        seed(Thread.currentThread());
    }

    /// A thread that has no seed takes the next one of the JVM. How many were taken depends on what its static
    /// parts have done in worlds before, so each thread gets its seed when it begins.
    static void seed(Thread thread) {
        OWN_SEED.set(thread, SEEDS.nextLong());
        OWN_PROBE.set(thread, SEEDS.nextInt() | 1);
        OWN_SECONDARY.set(thread, SEEDS.nextInt() | 1);
    }
}
