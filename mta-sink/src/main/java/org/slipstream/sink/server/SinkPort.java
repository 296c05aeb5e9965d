package org.slipstream.sink.server;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// A TCP port or a UNIX domain socket that accepts connections in a thread of its own, one after the
/// other.
public final class SinkPort implements AutoCloseable {
    private static final int BACKLOG = 1_000;
    /// After a failure such as "Too many open files", which passes when sessions end.
    private static final Duration AFTER_FAILURE = Duration.ofMillis(100);

    private final SocketAddress address;
    private final Closeable listener;
    private final Thread acceptor;

    /// Gets each connection in the thread of the port.
    public interface AcceptedConnection {
        /// @param client the IP address; empty for a UNIX domain socket
        void connection(Closeable socket, String client, InputStream in, OutputStream out);
    }

    interface Accepting {
        void one() throws IOException;
    }

    private SinkPort(SocketAddress address, Closeable listener, BooleanSupplier closed, Accepting next) {
        this.address = address;
        this.listener = listener;
        this.acceptor = Thread.ofPlatform().name("sink-accept").daemon().start(() -> acceptAll(closed, next));
    }

    /// @param delay the wait before each connection is accepted
    public static SinkPort open(SocketAddress where, Supplier<Duration> delay, AcceptedConnection accepted)
            throws IOException {
        return where instanceof UnixDomainSocketAddress ? unix(where, delay, accepted) : tcp(where, delay, accepted);
    }

    private static SinkPort unix(SocketAddress where, Supplier<Duration> delay, AcceptedConnection accepted)
            throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        channel.bind(where, BACKLOG);
        return new SinkPort(where, channel, () -> !channel.isOpen(), () -> {
            pause(delay.get());
            SocketChannel client = channel.accept();
            accepted.connection(client, "", Channels.newInputStream(client), Channels.newOutputStream(client));
        });
    }

    private static SinkPort tcp(SocketAddress where, Supplier<Duration> delay, AcceptedConnection accepted)
            throws IOException {
        ServerSocket server = new ServerSocket();
        try {
            server.setReuseAddress(true);
            server.bind(where, BACKLOG);
        } catch (IOException e) {
            server.close();
            throw e;
        }
        return new SinkPort(server.getLocalSocketAddress(), server, server::isClosed, () -> {
            pause(delay.get());
            Socket client = server.accept();
            try {
                client.setTcpNoDelay(true);
                accepted.connection(client, client.getInetAddress().getHostAddress(), client.getInputStream(),
                        client.getOutputStream());
            } catch (IOException gone) {
                client.close();
            }
        });
    }

    private static void pause(Duration delay) throws IOException {
        try {
            if (delay.isPositive()) {
                Thread.sleep(delay);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /// Only closing ends it: a connection that fails is no reason to refuse all later ones.
    static void acceptAll(BooleanSupplier closed, Accepting next) {
        while (!closed.getAsBoolean()) {
            try {
                next.one();
            } catch (IOException failure) {
                awaitCalm(closed);
            }
        }
    }

    private static void awaitCalm(BooleanSupplier closed) {
        try {
            if (!closed.getAsBoolean()) {
                Thread.sleep(AFTER_FAILURE);
            }
        } catch (InterruptedException _) {
            // The port closes.
        }
    }

    public SocketAddress address() {
        return address;
    }

    /// The port is closed when the thread that waits at it has left.
    @Override
    public void close() {
        try {
            listener.close();
            acceptor.interrupt();
            acceptor.join();
        } catch (IOException _) {
            // Nothing else can be done.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
