package org.slipstream.smtpout.wire;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Connects to one of several addresses of a host: the first that answers (RFC 8305, "happy eyeballs").
///
/// A host with IPv4 and IPv6 often answers by only one of them, and silence takes thirty seconds to be believed. So nobody waits
/// for silence: when an address has not answered within a quarter of a second the next one is tried *as well*, and when one refuses,
/// the next is tried at once. Whoever is connected first has won; the others are closed, also those that connect
/// later. A host whose first address answers promptly never sees a second call.
///
/// The order of the addresses is the caller's. Each attempt runs on a virtual thread of its own.
///
/// An attempt that fails before it calls anybody is no failure of the host: this machine has no file descriptor left, or not the
/// source address that it was told to use. The race throws [NoSocketException] when all its attempts failed so.
public final class Dialer {
    private final Sources sources;
    private final long staggerMillis;
    private final Sockets sockets;

    public Dialer(Sources sources, long staggerMillis) {
        this(sources, staggerMillis, () -> SocketChannel.open().socket());
    }

    /// Makes unconnected ones.
    @FunctionalInterface
    interface Sockets {
        Socket open() throws IOException;
    }

    Dialer(Sources sources, long staggerMillis, Sockets sockets) {
        this.sources = sources;
        this.staggerMillis = staggerMillis;
        this.sockets = sockets;
    }

    /// How one attempt ended.
    private record Outcome(Endpoint.Tcp endpoint, Optional<Socket> socket, Optional<IOException> failure) {
        static Outcome failed(Endpoint.Tcp endpoint, IOException why) {
            return new Outcome(endpoint, Optional.empty(), Optional.of(why));
        }
    }

    /// One race. [#close] ends it from any thread.
    final class Race implements Closeable {
        private final List<Endpoint.Tcp> runners;
        private final BlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();
        private final SequencedSet<Endpoint.Tcp> started = new LinkedHashSet<>();

        // Guarded by this.
        private final List<Socket> running = new ArrayList<>();
        private boolean over;

        /// @param runners at least one
        Race(List<Endpoint.Tcp> runners) {
            this.runners = List.copyOf(runners);
        }

        /// A connected socket and where it leads.
        record Winner(Endpoint.Tcp endpoint, Socket socket) {}

        /// @param millis patience with each address
        /// @throws NoSocketException when all have failed before they called anybody
        /// @throws IOException when all have failed: the failure of the last one that was called
        Winner run(long millis) throws IOException {
            int open = 0;
            IOException failure = new NoSocketException(new IOException("no address"));
            long next = System.nanoTime();
            while (true) {
                if (started.size() < runners.size() && (open == 0 || System.nanoTime() - next >= 0)) {
                    start(runners.get(started.size()), millis);
                    open++;
                    next = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(staggerMillis);
                }
                Optional<Outcome> outcome = await(next);
                if (outcome.isEmpty()) {
                    continue;
                }
                if (outcome.get().socket().isPresent()) {
                    return won(outcome.get().endpoint(), outcome.get().socket().get());
                }
                failure = worse(failure, outcome.get().failure().get());
                open--;
                next = System.nanoTime();
                if (open == 0 && started.size() == runners.size() || isOver()) {
                    close();
                    throw failure;
                }
            }
        }

        /// The addresses that were called, in order. For the thread that ran the race.
        SequencedSet<Endpoint.Tcp> started() {
            return started;
        }

        private Optional<Outcome> await(long next) {
            try {
                boolean last = started.size() == runners.size();
                return Optional.ofNullable(last
                        ? outcomes.take()
                        : outcomes.poll(Math.max(next - System.nanoTime(), 1), TimeUnit.NANOSECONDS));
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts a carrier", e);
            }
        }

        // A host that was called and did not answer has failed, whatever hindered the other attempts.
        private static IOException worse(IOException before, IOException latest) {
            return latest instanceof NoSocketException && !(before instanceof NoSocketException) ? before : latest;
        }

        private void start(Endpoint.Tcp endpoint, long millis) {
            started.add(endpoint);
            Socket socket;
            try {
                socket = sockets.open();
            } catch (IOException e) {
                outcomes.add(Outcome.failed(endpoint, new NoSocketException(e)));
                return;
            }
            if (!enter(socket)) {
                closeQuietly(socket);
                outcomes.add(Outcome.failed(endpoint, new IOException("given up")));
                return;
            }
            Thread.ofVirtual().name("out-dial").start(() -> outcomes.add(connect(endpoint, socket, millis)));
        }

        private Outcome connect(Endpoint.Tcp endpoint, Socket socket, long millis) {
            try {
                prepare(socket, endpoint.address());
                socket.connect(new InetSocketAddress(endpoint.address(), endpoint.port()),
                        (int) Math.min(millis, Integer.MAX_VALUE));
                return new Outcome(endpoint, Optional.of(socket), Optional.empty());
            } catch (IOException | RuntimeException e) {
                closeQuietly(socket);
                return Outcome.failed(endpoint, e instanceof IOException io ? io : new IOException(e));
            }
        }

        private void prepare(Socket socket, InetAddress address) throws NoSocketException {
            try {
                // Commands are small and complete: waiting for more to send with them (Nagle) costs 40 ms per round trip.
                socket.setTcpNoDelay(true);
                Optional<? extends InetAddress> source = sources.to(address);
                if (source.isPresent()) {
                    socket.bind(new InetSocketAddress(source.get(), 0));
                }
            } catch (IOException e) {
                throw new NoSocketException(e);
            }
        }

        private synchronized boolean enter(Socket socket) {
            running.add(socket);
            return !over;
        }

        private synchronized boolean isOver() {
            return over;
        }

        private Winner won(Endpoint.Tcp endpoint, Socket socket) throws IOException {
            synchronized (this) {
                running.remove(socket);
                if (over) {
                    closeQuietly(socket);
                    throw new IOException("given up");
                }
            }
            close();
            return new Winner(endpoint, socket);
        }

        /// Whoever still runs is stopped, and whoever arrives later finds its socket closed.
        @Override
        public void close() {
            List<Socket> left;
            synchronized (this) {
                over = true;
                left = List.copyOf(running);
            }
            left.forEach(Dialer::closeQuietly);
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // It is of no more use in any case.
        }
    }
}
