package org.slipstream.http;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;

import javax.net.ssl.SSLSocketFactory;

/// A port for HTTP that strangers may reach: each request has limits in octets and time, each
/// connection a virtual thread, and at most [#MOST_CONNECTIONS] are open. A further one replaces the
/// one whose deadline is nearest of those that wait for a request; when all are at work, the further
/// one is refused. The same holds for the [#MOST_OF_A_CLIENT] of one address, so a single stranger does
/// not take the places of all; a proxy on this machine has no such limit.
///
/// The server of the JDK has one limit in time for whole requests, the same for all servers of the
/// process, so a long upload and a slow attacker look the same to it.
///
/// The port opens in two steps, [#bind] and [#serve], so that a port that is taken refuses the start,
/// and a failed start never answers.
public final class HttpListener implements AutoCloseable {
    static final int MOST_CONNECTIONS = 256;
    static final int MOST_OF_A_CLIENT = 64;
    private static final Logger log = LoggerFactory.getLogger(HttpListener.class);
    private static final int BACKLOG = 50;
    private static final long LOOK_MILLIS = 200;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ServerSocket port;
    private final Supplier<Optional<SSLSocketFactory>> tls;
    private final TreeMap<String, HttpPage> pages = new TreeMap<>(Comparator.reverseOrder());
    private final Set<HttpConnection> connections = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors
            .newThreadPerTaskExecutor(Thread.ofVirtual().name("http-", 1).factory());

    private final HttpConnection.Patience patience;
    private final Predicate<InetAddress> limited;

    private HttpListener(ServerSocket port, Supplier<Optional<SSLSocketFactory>> tls, HttpConnection.Patience patience,
            Predicate<InetAddress> limited) {
        this.port = port;
        this.tls = tls;
        this.patience = patience;
        this.limited = limited;
    }

    /// Takes the port; requests are not yet answered.
    ///
    /// @param tls asked for each connection, so that a new certificate is used; empty for plain HTTP
    /// @throws IOException when the port is taken
    public static HttpListener bind(InetSocketAddress where, Supplier<Optional<SSLSocketFactory>> tls)
            throws IOException {
        return bind(where, tls, HttpConnection.Patience.STANDARD, address -> !address.isLoopbackAddress());
    }

    /// @param limited the clients with a limit of their own
    static HttpListener bind(InetSocketAddress where, Supplier<Optional<SSLSocketFactory>> tls,
            HttpConnection.Patience patience, Predicate<InetAddress> limited) throws IOException {
        ServerSocket port = new ServerSocket();
        try {
            port.setReuseAddress(true);
            port.bind(where, BACKLOG);
            return new HttpListener(port, tls, patience, limited);
        } catch (IOException failed) {
            port.close();
            throw failed;
        }
    }

    /// Answers requests. Called once.
    ///
    /// @param of the page for each path and the paths below it; the longest one that fits counts
    public void serve(Map<String, HttpPage> of) {
        pages.putAll(of);
        Thread.ofPlatform().daemon().name("http-accept").start(this::accept);
        Thread.ofPlatform().daemon().name("http-cut").start(this::cut);
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) port.getLocalSocketAddress();
    }

    /// Accepts no new request and waits up to a second for requests in progress. May be called twice.
    @Override
    public void close() {
        try {
            port.close();
            connections.stream().filter(HttpConnection::isWaiting).forEach(HttpConnection::close);
            threads.shutdown();
            if (!threads.awaitTermination(1, TimeUnit.SECONDS)) {
                connections.forEach(HttpConnection::close);
                threads.shutdownNow();
            }
        } catch (IOException failed) {
            log.warn("event=http-close-failed error=\"{}\"", LogText.text(FailureWords.of(failed)));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    Optional<HttpPage> page(String path) {
        return pages.entrySet().stream()
                .filter(each -> path.equals(each.getKey()) || path.startsWith(each.getKey() + "/"))
                .map(Map.Entry::getValue).findFirst();
    }

    private void accept() {
        while (!port.isClosed()) {
            try {
                open(port.accept());
            } catch (IOException | RuntimeException failed) {
                if (!port.isClosed()) {
                    log.warn("event=http-accept-failed error=\"{}\"", LogText.text(FailureWords.of(failed)));
                    // Probably no file descriptor is left; the client stays in the backlog.
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        }
    }

    private void open(Socket client) throws IOException {
        InetAddress from = client.getInetAddress();
        if (limited.test(from) && !hasRoom(MOST_OF_A_CLIENT, each -> each.isFrom(from))
                || !hasRoom(MOST_CONNECTIONS, _ -> true)) {
            client.close();
            return;
        }
        client.setTcpNoDelay(true);
        HttpConnection connection = new HttpConnection(client, this, tls.get(), patience);
        connections.add(connection);
        try {
            threads.execute(() -> {
                try {
                    connection.run();
                } finally {
                    connections.remove(connection);
                }
            });
        } catch (RuntimeException noThread) {
            connections.remove(connection);
            connection.close();
            throw noThread;
        }
    }

    /// Makes room among these connections when they are too many. False when all are at work.
    private boolean hasRoom(int most, Predicate<HttpConnection> of) {
        long now = System.nanoTime();
        if (connections.stream().filter(of).count() < most) {
            return true;
        }
        Optional<HttpConnection> nearest = connections.stream().filter(of).filter(HttpConnection::isWaiting)
                .min(Comparator.comparingLong(each -> each.remainingNanos(now)));
        nearest.ifPresent(each -> {
            each.close();
            connections.remove(each);
        });
        return nearest.isPresent();
    }

    private void cut() {
        while (!port.isClosed() || !connections.isEmpty()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS));
            long now = System.nanoTime();
            connections.stream().filter(each -> each.remainingNanos(now) <= 0).forEach(HttpConnection::close);
        }
    }

    /// For tests.
    int connections() {
        return connections.size();
    }

    /// For tests.
    long working() {
        return connections.stream().filter(each -> !each.isWaiting()).count();
    }
}
