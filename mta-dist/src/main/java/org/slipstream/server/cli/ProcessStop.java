package org.slipstream.server.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// SIGTERM and SIGINT as an orderly stop with exit code 0; SIGHUP as a line in the log ([Hangup]).
///
/// The JVM answers these signals with its shutdown hooks and would then end with 143 or 130. The hook here only wakes the
/// main thread, waits until that has closed the server, and ends the process with its exit code.
public final class ProcessStop implements CliContext.StopSignal {
    /// What `run --help` promises. The server's own stop takes nine seconds at most; beyond this something hangs, and a
    /// hard end is safe.
    private static final int PATIENCE_SECONDS = 10;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook = Thread.ofPlatform().name("stop").unstarted(this::stop);
    private volatile int exit = Exit.INTERNAL;

    @Override
    public void arm() {
        Runtime.getRuntime().addShutdownHook(hook);
        Hangup.survive();
    }

    @Override
    public void await() throws InterruptedException {
        asked.await();
    }

    @Override
    public void done(int exitCode) {
        exit = exitCode;
        done.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException stopping) {
            // The hook is at work and ends the process.
        }
    }

    private void stop() {
        asked.countDown();
        try {
            boolean _ = done.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
        System.out.flush();
        System.err.flush();
        Runtime.getRuntime().halt(exit);
    }
}
