package org.slipstream.smtpin;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/// A client's socket whose input any thread can end: all further reads, and one that is blocked,
/// throw a [SocketTimeoutException].
///
/// In clear text, shutting down the input would be enough. TLS takes the end of its input for the
/// client's close_notify, and before TLS 1.3 it then ends its output too (RFC 5246 section 7.2.1).
/// A timeout below TLS leaves the output open, so a last reply can be sent.
final class AcceptedSocket extends Socket {
    private volatile boolean timedOut;
    private final AtomicReference<Runnable> closed = new AtomicReference<>(() -> {});
    private final CountDownLatch end = new CountDownLatch(1);

    private AcceptedSocket() throws SocketException {
        super((SocketImpl) null);
    }

    /// An unconnected socket, for [java.net.ServerSocket#implAccept].
    static AcceptedSocket unconnected() {
        try {
            return new AcceptedSocket();
        } catch (SocketException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new FilterInputStream(super.getInputStream()) {
            @Override
            public int read() throws IOException {
                return checked(super.read());
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                return checked(super.read(into, offset, length));
            }
        };
    }

    private int checked(int result) throws SocketTimeoutException {
        if (result < 0 && timedOut) {
            throw new SocketTimeoutException("Timeout exceeded");
        }
        return result;
    }

    /// Ends the input; the output stays open.
    void timeOut() {
        timedOut = true;
        try {
            shutdownInput();
        } catch (IOException gone) {
            // The client has disconnected, which the reading thread notices itself.
        }
    }

    /// Runs once, when the socket is closed.
    void whenClosed(Runnable action) {
        closed.set(action);
    }

    @Override
    public void close() throws IOException {
        closed.getAndSet(() -> {}).run();
        super.close();
        end.countDown();
    }

    /// Waits until a thread closes the socket, at most for this time.
    void awaitClose(Duration most) throws InterruptedException {
        end.await(most.toNanos(), TimeUnit.NANOSECONDS);
    }

    boolean isTimedOut() {
        return timedOut;
    }
}
