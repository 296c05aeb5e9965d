package org.slipstream.cli.run;

import org.slipstream.cli.frame.CliContext;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.ProcessSignal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// SIGTERM and SIGINT as an orderly stop with exit code 0; SIGHUP ends no server
/// ([ProcessSignal]).
///
/// The JVM reacts to these signals with its shutdown hooks and would then end with 143 or 130. The
/// hook here only wakes the main thread, waits until that has closed the server, and ends the
/// process with its exit code.
public final class ProcessStop implements CliContext.StopSignal {
    /// `run --help` promises this. The server's own stop takes nine seconds at most; if it takes
    /// longer, something hangs, and a hard end is safe.
    private static final int TIMEOUT_SECONDS = 10;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook = Thread.ofPlatform().name("stop").unstarted(this::stop);
    private volatile int exit = Exit.INTERNAL;

    @Override
    public void arm() {
        Runtime.getRuntime().addShutdownHook(hook);
        ProcessSignal.surviveHangup();
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
            // The hook is running and ends the process.
        }
    }

    private void stop() {
        asked.countDown();
        try {
            boolean _ = done.await(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
        System.out.flush();
        System.err.flush();
        Runtime.getRuntime().halt(exit);
    }
}
