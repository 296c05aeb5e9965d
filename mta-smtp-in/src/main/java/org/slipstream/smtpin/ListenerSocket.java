package org.slipstream.smtpin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/// The server socket of one port. [#accept] returns a client or throws because the port is closed;
/// any other failure is logged, and after a pause the next client is accepted.
///
/// The library's accept loop survives an [IOException] only. A [RuntimeException] would end its
/// thread, and clients would connect to a port that never greets them. An [Error] ends the thread
/// here, too: the process is then in no state to continue.
final class ListenerSocket extends ServerSocket {
    private static final Logger log = LoggerFactory.getLogger(ListenerSocket.class);
    /// Probably no file descriptor is left. The client stays in the backlog.
    private static final long PAUSE_MILLIS = 1_000;
    /// Longer than a thread needs to leave a closed socket, even on a busy machine.
    private static final Duration LEAVES = Duration.ofSeconds(5);

    private final String listener;
    private final Supplier<AcceptedSocket> sockets;
    private final IntSupplier most;
    private final Object changed = new Object();
    private int open;
    private boolean retired;
    private boolean accepting;

    /// @param listener name in the log
    /// @param sockets unconnected sockets, one for each client
    /// @param most connections that may be open; further ones wait in the backlog
    ListenerSocket(String listener, Supplier<AcceptedSocket> sockets, IntSupplier most) throws IOException {
        this.listener = listener;
        this.sockets = sockets;
        this.most = most;
    }

    @Override
    public Socket accept() throws IOException {
        while (true) {
            try {
                awaitRoom();
                AcceptedSocket client = sockets.get();
                acceptInto(client);
                count(1);
                client.whenClosed(() -> count(-1));
                return client;
            } catch (IOException | RuntimeException failed) {
                if (isClosed()) {
                    awaitEnd();
                    throw new IOException("the port is closed", failed);
                }
                log.warn("event=accept-failed listener={} error=\"{}\" next=\"accepts again after a pause\"",
                        listener, LogText.text(FailureWords.of(failed)), failed);
                pause();
            }
        }
    }

    private void acceptInto(AcceptedSocket client) throws IOException {
        accepting(true);
        try {
            implAccept(client);
        } finally {
            accepting(false);
        }
    }

    private void accepting(boolean now) {
        synchronized (changed) {
            accepting = now;
            changed.notifyAll();
        }
    }

    /// Closes the port and leaves the sessions alone. The library would end them if its accept loop
    /// ended, so that waits for [#close]. The system frees the address when the accepting thread has
    /// left the socket, so another listener can have the address afterwards.
    void retire() throws IOException {
        synchronized (changed) {
            retired = true;
        }
        super.close();
        long end = System.nanoTime() + LEAVES.toNanos();
        synchronized (changed) {
            for (long left = LEAVES.toNanos(); accepting && left > 0; left = end - System.nanoTime()) {
                try {
                    TimeUnit.NANOSECONDS.timedWait(changed, left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (changed) {
            retired = false;
            changed.notifyAll();
        }
        super.close();
    }

    private void count(int more) {
        synchronized (changed) {
            open += more;
            changed.notifyAll();
        }
    }

    private void awaitRoom() throws IOException {
        synchronized (changed) {
            while (open >= most.getAsInt() && !isClosed()) {
                await(PAUSE_MILLIS);
            }
        }
    }

    private void awaitEnd() {
        synchronized (changed) {
            while (retired) {
                await(0);
            }
        }
    }

    // The library interrupts its thread after it has closed the port.
    private void await(long millis) {
        try {
            changed.wait(millis);
        } catch (InterruptedException closed) {
            retired = false;
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException closed) {
            // The library interrupts its thread after it has closed the port.
        }
    }
}
