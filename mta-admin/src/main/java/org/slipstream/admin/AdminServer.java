package org.slipstream.admin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

/// The HTTP side of the API: a UNIX domain socket that the server's owner alone can open, and JSON in every answer.
///
/// Each connection has a platform thread, since requests read the disk and compute; on virtual threads they would occupy the
/// carriers that mail needs. There are at most [#MOST_CONNECTIONS]. A further one takes the place of the one whose deadline
/// is nearest, so clients that connect and send nothing, or read nothing, keep nobody out.
///
/// Opened in two steps, because a start that fails must not have answered anybody: [#bind], then [#serve].
public final class AdminServer implements AutoCloseable {
    static final int MOST_CONNECTIONS = 64;
    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);
    private static final int BACKLOG = 50;
    /// More at once only means that the operator's tools have run wild; the spool has mail to write.
    private static final int REQUESTS_AT_ONCE = 16;
    private static final long LOOK_MILLIS = 1_000;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Path socket;
    private final ServerSocketChannel listener;
    private final Selector selector;
    private final Set<ApiConnection> connections = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofPlatform().daemon().name("admin-", 1).factory());
    private final Semaphore room = new Semaphore(REQUESTS_AT_ONCE);

    private AdminServer(Path socket, ServerSocketChannel listener, Selector selector) {
        this.socket = socket;
        this.listener = listener;
        this.selector = selector;
    }

    /// Makes the socket; nobody is answered yet.
    ///
    /// @param socket see [AdminSocket#in]
    /// @throws IOException also when another server answers there
    public static AdminServer bind(Path socket) throws IOException {
        ServerSocketChannel listener = AdminSocket.listen(socket, BACKLOG);
        try {
            Selector selector = Selector.open();
            listener.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
            return new AdminServer(socket, listener, selector);
        } catch (IOException trouble) {
            listener.close();
            throw trouble;
        }
    }

    public Path socket() {
        return socket;
    }

    /// Answers from now on. Called once.
    public void serve(Operations operations, HostOperations hosts) {
        Api api = new Api(operations, hosts);
        Thread.ofPlatform().daemon().name("admin").start(() -> accept(request -> answer(request, api)));
    }

    /// Takes no new request and lets those in progress finish for up to a second. May be called twice.
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
        } catch (IOException trouble) {
            LOG.warn("event=admin-close-failed socket={}", socket, trouble);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept(Function<ApiRequest, ApiAnswer> api) {
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
            } catch (IOException trouble) {
                if (listener.isOpen()) {
                    LOG.warn("event=admin-accept-failed error=\"{}\"", trouble.getMessage());
                    // No file descriptor is left, probably, and the client is still there.
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        }
    }

    private void open(ApiConnection connection) {
        if (connections.size() >= MOST_CONNECTIONS) {
            makeRoom();
        }
        connections.add(connection);
        threads.execute(() -> {
            try {
                connection.run();
            } finally {
                connections.remove(connection);
            }
        });
    }

    /// There is always one that can go: no more than [#REQUESTS_AT_ONCE] are at work.
    private void makeRoom() {
        long now = System.nanoTime();
        connections.stream().min(Comparator.comparingLong(each -> each.remainingNanos(now))).ifPresent(nearest -> {
            nearest.close();
            connections.remove(nearest);
        });
    }

    private ApiAnswer answer(ApiRequest request, Api api) {
        if (!room.tryAcquire()) {
            return new ApiAnswer(503, Map.of("error", "too many requests at once"), Map.of("Retry-After", "1"));
        }
        try {
            return api.answer(request.method(), request.path(), request.query());
        } catch (IOException | RuntimeException ours) {
            LOG.warn("event=admin-request-failed method={} path={}", request.method(), request.path(), ours);
            return ApiAnswer.error(500, "the server could not do it: "
                    + Optional.ofNullable(ours.getMessage()).orElse("see its log"));
        } finally {
            room.release();
        }
    }
}
