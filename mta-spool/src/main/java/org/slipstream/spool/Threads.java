package org.slipstream.spool;

/// Waits for threads that must not be interrupted.
final class Threads {
    private Threads() {}

    /// Returns when the thread has ended, even when the caller is interrupted; the interrupt stays with the
    /// caller.
    static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
