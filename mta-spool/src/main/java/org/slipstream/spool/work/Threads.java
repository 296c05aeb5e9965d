package org.slipstream.spool.work;

/// Waits that an interrupt does not end, for threads that must not be interrupted because an
/// interrupt would close their files.
final class Threads {
    private Threads() {}

    /// A call that blocks. Called again after an interrupt.
    @FunctionalInterface
    interface Wait<T, E extends Exception> {
        T get() throws InterruptedException, E;
    }

    /// Returns when the call returns; an interrupt stays with the caller.
    static <T, E extends Exception> T uninterruptibly(Wait<T, E> wait) throws E {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return wait.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// Returns when the thread has ended; an interrupt stays with the caller.
    static void join(Thread thread) {
        uninterruptibly(() -> {
            thread.join();
            return thread;
        });
    }
}
