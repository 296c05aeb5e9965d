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

/// Connects to one of several addresses of a host: the first that accepts (RFC 8305, "happy
/// eyeballs").
///
/// A host with IPv4 and IPv6 often accepts connections on only one of them, and a timeout takes
/// thirty seconds. So when an address has not accepted within a quarter of a second, the next one
/// is tried *in parallel*, and after a refusal the next is tried at once. The first connection
/// wins; the others are closed, including those that connect later. A host whose first address
/// accepts promptly never sees a second attempt.
///
/// The caller chooses the order of the addresses. Each attempt runs on its own virtual thread.
///
/// An attempt that fails before it sends anything is not a failure of the host: this machine has no
/// free file descriptor, or lacks the configured source address. The race throws
/// [NoSocketException] when all attempts failed in this way, and [NoSourceException] when the address or the
/// proxy of a source (`[source.NAME]`) is the cause.
public final class Dialer {
    private final Sources sources;
    private final long staggerMillis;
    private final Sockets sockets;

    public Dialer(Sources sources, long staggerMillis) {
        this(sources, staggerMillis, () -> SocketChannel.open().socket());
    }

    /// Creates unconnected sockets.
    @FunctionalInterface
    interface Sockets {
        Socket open() throws IOException;
    }

    Dialer(Sources sources, long staggerMillis, Sockets sockets) {
        this.sources = sources;
        this.staggerMillis = staggerMillis;
        this.sockets = sockets;
    }

    /// The end of one attempt.
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

        /// A connected socket and its address.
        record Winner(Endpoint.Tcp endpoint, Socket socket) {}

        /// @param millis timeout of each address
        /// @throws NoSocketException when all attempts failed before they sent anything
        /// @throws IOException when all failed: the failure of the last address that was tried
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

        /// The addresses that were tried, in order. For the thread that ran the race.
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
                throw new IllegalStateException("a carrier must not be interrupted", e);
            }
        }

        // A host that was tried and did not accept has failed, whatever stopped the other attempts.
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
                outcomes.add(Outcome.failed(endpoint, new IOException("aborted")));
                return;
            }
            Thread.ofVirtual().name("out-dial").start(() -> outcomes.add(connect(endpoint, socket, millis)));
        }

        private Outcome connect(Endpoint.Tcp endpoint, Socket socket, long millis) {
            try {
                prepare(socket, endpoint.address());
                InetSocketAddress host = new InetSocketAddress(endpoint.address(), endpoint.port());
                if (sources.exit().isPresent()) {
                    ProxyConnection.connect(socket, sources.exit().get(), sources.to(endpoint.address()), host,
                            millis);
                } else {
                    socket.connect(host, (int) Math.min(millis, Integer.MAX_VALUE));
                }
                return new Outcome(endpoint, Optional.of(socket), Optional.empty());
            } catch (IOException | RuntimeException e) {
                closeQuietly(socket);
                return Outcome.failed(endpoint, e instanceof IOException io ? io : new IOException(e));
            }
        }

        private void prepare(Socket socket, InetAddress address) throws NoSocketException {
            try {
                // Commands are small and complete: delaying them to send more together (Nagle)
                // costs 40 ms per round trip.
                socket.setTcpNoDelay(true);
                Optional<? extends InetAddress> source = sources.to(address);
                if (source.isPresent() && sources.exit().isEmpty()) {
                    bind(socket, source.get());
                }
            } catch (NoSocketException e) {
                throw e;
            } catch (IOException e) {
                throw new NoSocketException(e);
            }
        }

        private void bind(Socket socket, InetAddress source) throws IOException {
            try {
                socket.bind(new InetSocketAddress(source, 0));
            } catch (IOException gone) {
                throw sources.name().isPresent() ? new NoSourceException(gone) : gone;
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
                    throw new IOException("aborted");
                }
            }
            close();
            return new Winner(endpoint, socket);
        }

        /// Closes the sockets of attempts that still run; later ones find the race closed.
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
