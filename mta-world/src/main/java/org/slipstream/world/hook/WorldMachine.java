package org.slipstream.world.hook;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// The simulated machine, as the rewritten classes of the JDK and of the program see it: clock,
/// threads, disk. All methods are called by one thread at a time.
public interface WorldMachine {
    /// Whether this thread belongs to the world. Threads of the JVM itself keep the real clock.
    boolean has(Thread thread);

    long nanoTime();

    long epochNanos();

    /// Runs a task of the JDK, such as the end of a timed wait, after a virtual time.
    Future<?> schedule(Runnable task, long delay, TimeUnit unit);

    /// A virtual thread is about to begin.
    void begins(Thread thread);

    /// A virtual thread ends its turn.
    void yielded(Thread thread);

    Thread newThread(String name, Runnable task, Thread.UncaughtExceptionHandler handler);

    /// Starts a thread that was made as a platform thread.
    void start(Thread platform);

    /// The thread of the world that runs a thread made as a platform thread; the same thread
    /// otherwise.
    Thread runs(Thread platform);

    void aboutToWrite(String path, ByteBuffer source, long position) throws IOException;

    void aboutToTruncate(String path, long size) throws IOException;

    void aboutToSync(String path) throws IOException;

    void aboutToOpen(String path, boolean creates, boolean truncates) throws IOException;

    void aboutToDelete(String path) throws IOException;

    void aboutToMove(String from, String to) throws IOException;

    void aboutToMakeFolder(String path) throws IOException;

    /// In octets, on the disk of the machine.
    long usableSpace();

    long totalSpace();

    /// A client for DNS over UDP, of the type that the library of DNS wants.
    Object dnsClient();

    /// The program ends the process.
    void halt(int status);
}
