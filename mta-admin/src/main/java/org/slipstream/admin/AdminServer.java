package org.slipstream.admin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/// The HTTP server of the admin API, on a UNIX domain socket that only the owner of the home folder
/// can open. Every response is JSON.
///
/// Each connection has a platform thread, since requests read the disk and compute; on virtual
/// threads they would occupy the carrier threads that mail delivery needs. At most
/// [#MOST_CONNECTIONS] connections are open. A further connection replaces the one whose deadline
/// is nearest, so clients that send or read nothing cannot block others.
///
/// The server opens in two steps, [#bind] and [#serve], so that a failed start never accepts a
/// request.
public final class AdminServer implements AutoCloseable {
    static final int MOST_CONNECTIONS = 64;
    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);
    private static final int BACKLOG = 50;
    /// The limit protects the disk bandwidth of the spool from runaway scripts.
    private static final int REQUESTS_AT_ONCE = 16;
    private static final long LOOK_MILLIS = 1_000;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Path socket;
    private final ServerSocketChannel listener;
    private final Selector selector;
    private final Set<ApiConnection> connections = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads;
    private final Semaphore permits = new Semaphore(REQUESTS_AT_ONCE);

    private AdminServer(Path socket, ServerSocketChannel listener, Selector selector, ExecutorService threads) {
        this.socket = socket;
        this.listener = listener;
        this.selector = selector;
        this.threads = threads;
    }

    /// Creates the socket; requests are not yet accepted.
    ///
    /// @param socket see [AdminSocket#in]
    /// @throws IOException also when another server is listening there
    public static AdminServer bind(Path socket) throws IOException {
        return bind(socket,
                Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().name("admin-", 1).factory()));
    }

    /// @param threads one for each connection
    static AdminServer bind(Path socket, ExecutorService threads) throws IOException {
        ServerSocketChannel listener = AdminSocket.listen(socket, BACKLOG);
        try {
            Selector selector = Selector.open();
            listener.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
            return new AdminServer(socket, listener, selector, threads);
        } catch (IOException failed) {
            listener.close();
            throw failed;
        }
    }

    public Path socket() {
        return socket;
    }

    /// Accepts requests. Called once.
    public void serve(Operations operations, HostOperations hosts, SuspensionOperations suspensions) {
        Api api = new Api(operations, hosts, suspensions);
        Thread.ofPlatform().daemon().name("admin").start(() -> accept(request -> answer(request, api)));
    }

    /// Accepts no new request and waits up to a second for requests in progress. May be called
    /// twice.
    @Override
    public void close() {
        try {
            if (listener.isOpen()) {
                listener.close();
                Files.deleteIfExists(socket);
            }
            selector.close();
            connections.stream().filter(ApiConnection::isWaiting).forEach(ApiConnection::close);
            threads.shutdown();
            if (!threads.awaitTermination(1, TimeUnit.SECONDS)) {
                connections.forEach(ApiConnection::close);
            }
        } catch (IOException failed) {
            LOG.warn("event=admin-close-failed file=\"{}\"", socket, failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept(Function<ApiRequest, ApiResponse> api) {
        while (listener.isOpen()) {
            try {
                selector.select(connections.isEmpty() ? 0 : LOOK_MILLIS);
                selector.selectedKeys().clear();
                long now = System.nanoTime();
                connections.stream().filter(each -> each.remainingNanos(now) <= 0).forEach(ApiConnection::close);
                SocketChannel client = listener.accept();
                if (client != null) {
                    open(new ApiConnection(client, api));
                }
            } catch (ClosedSelectorException stopped) {
                return;
            } catch (IOException failed) {
                if (listener.isOpen()) {
                    LOG.warn("event=admin-accept-failed error=\"{}\"", LogText.text(FailureWords.of(failed)));
                    // Probably no file descriptor is left; the client stays in the backlog.
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } catch (RuntimeException ours) {
                if (listener.isOpen()) {
                    LOG.warn("event=admin-accept-failed error=\"{}\"", LogText.text(FailureWords.of(ours)), ours);
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        }
    }

    private void open(ApiConnection connection) {
        if (connections.size() >= MOST_CONNECTIONS) {
            closeNearestDeadline();
        }
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

    /// At most [#REQUESTS_AT_ONCE] connections process a request, so one with a deadline always
    /// exists.
    private void closeNearestDeadline() {
        long now = System.nanoTime();
        connections.stream().min(Comparator.comparingLong(each -> each.remainingNanos(now))).ifPresent(nearest -> {
            nearest.close();
            connections.remove(nearest);
        });
    }

    private ApiResponse answer(ApiRequest request, Api api) {
        if (!permits.tryAcquire()) {
            return new ApiResponse(503, Map.of("error", "too many requests"), Map.of("Retry-After", "1"));
        }
        try {
            return api.answer(request.method(), request.path(), request.query(),
                    new Caller("owner", Right.ADMINISTRATE, false));
        } catch (IOException | RuntimeException ours) {
            LOG.warn("event=admin-request-failed method={} path=\"{}\"", request.method(), LogText.text(request.path()),
                    ours);
            return ApiResponse.error(500, "request failed: "
                    + Optional.ofNullable(ours.getMessage()).orElse("see its log"));
        } finally {
            permits.release();
        }
    }
}
