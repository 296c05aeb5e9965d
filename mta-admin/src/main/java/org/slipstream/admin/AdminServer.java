package org.slipstream.admin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.HostOperations;
import org.slipstream.admin.operations.Operations;
import org.slipstream.admin.operations.Operations.NotOnDiskException;
import org.slipstream.admin.operations.RequestAuthor;
import org.slipstream.admin.operations.StandingOrders;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The HTTP server of the admin API, on a UNIX domain socket that only the owner of the home folder
/// can open, and on a second one for a group if the settings name it. Every response is JSON, and
/// each request has an author with a right ([SocketRules]).
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
    private static final Logger log = LoggerFactory.getLogger(AdminServer.class);
    private static final int BACKLOG = 50;
    /// The limit protects the disk bandwidth of the spool from runaway scripts.
    private static final int REQUESTS_AT_ONCE = 16;
    /// Apart from the others, so that the owner's requests never wait for those of the group.
    private static final int GROUP_REQUESTS_AT_ONCE = 8;
    private static final long LOOK_MILLIS = 1_000;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final List<Listener> listeners = new ArrayList<>();
    private final Selector selector;
    private final Set<ApiConnection> connections = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads;
    private final Semaphore permits = new Semaphore(REQUESTS_AT_ONCE);
    private final Semaphore groupPermits = new Semaphore(GROUP_REQUESTS_AT_ONCE);
    private final Semaphore consolePermits = new Semaphore(GROUP_REQUESTS_AT_ONCE);
    private final RefusalLines refusals = new RefusalLines(System::nanoTime);

    /// @param ofOwner false for the socket of the group
    private record Listener(Path socket, ServerSocketChannel channel, boolean ofOwner) {}

    private AdminServer(Selector selector, ExecutorService threads) {
        this.selector = selector;
        this.threads = threads;
    }

    /// Creates the socket; requests are not yet accepted.
    ///
    /// @param socket see [AdminSocket#in]
    /// @throws IOException also when another server is listening there
    public static AdminServer bind(Path socket) throws IOException {
        return bind(socket,
                Executors
                        .newThreadPerTaskExecutor(Thread.ofPlatform().daemon().name("admin-connection-", 1).factory()));
    }

    /// @param threads one for each connection
    static AdminServer bind(Path socket, ExecutorService threads) throws IOException {
        AdminServer server = new AdminServer(Selector.open(), threads);
        try {
            server.open(new Listener(socket, AdminSocket.listen(socket, BACKLOG), true));
            return server;
        } catch (IOException failed) {
            server.selector.close();
            throw failed;
        }
    }

    /// Creates a second socket that the group may open as well. Each request there needs a token.
    ///
    /// @param socket in a folder that exists
    public void openToGroup(Path socket) throws IOException {
        open(new Listener(socket, AdminSocket.listenToGroup(socket, BACKLOG), false));
    }

    private void open(Listener listener) throws IOException {
        try {
            listener.channel().configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
            listeners.add(listener);
        } catch (IOException failed) {
            listener.channel().close();
            throw failed;
        }
    }

    public Path socket() {
        return listeners.getFirst().socket();
    }

    /// As the other, for a server without orders for shards, console and events.
    public ApiAccess serve(Operations operations, HostOperations hosts, StandingOrders suspensions, Tokens tokens) {
        return serve(operations, hosts, suspensions, ApiParts.NONE, tokens);
    }

    /// Accepts requests. Called once.
    ///
    /// @return the same API for the console
    public ApiAccess serve(Operations operations, HostOperations hosts, StandingOrders suspensions,
            ApiParts further, Tokens tokens) {
        Api api = new Api(operations, hosts, suspensions, further);
        Thread.ofPlatform().daemon().name("admin").start(() -> accept(api, tokens));
        return (method, path, query, caller) -> guarded(
                new ApiRequest(method, Api.ROOT + path, query, Optional.empty(), true),
                request -> permitted(request, api, caller, consolePermits));
    }

    /// Accepts no new request and waits up to a second for requests in progress. May be called
    /// twice.
    @Override
    public void close() {
        try {
            for (Listener listener : listeners) {
                if (listener.channel().isOpen()) {
                    listener.channel().close();
                    Files.deleteIfExists(listener.socket());
                }
            }
            selector.close();
            connections.stream().filter(ApiConnection::isWaiting).forEach(ApiConnection::close);
            threads.shutdown();
            if (!threads.awaitTermination(1, TimeUnit.SECONDS)) {
                connections.forEach(ApiConnection::close);
            }
        } catch (IOException failed) {
            log.warn("event=admin-close-failed file=\"{}\"", socket(), failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isOpen() {
        return listeners.getFirst().channel().isOpen();
    }

    private void accept(Api api, Tokens tokens) {
        while (isOpen()) {
            try {
                selector.select(connections.isEmpty() ? 0 : LOOK_MILLIS);
                selector.selectedKeys().clear();
                long now = System.nanoTime();
                connections.stream().filter(each -> each.remainingNanos(now) <= 0).forEach(ApiConnection::close);
                for (Listener listener : listeners) {
                    SocketChannel client = listener.channel().accept();
                    if (client != null) {
                        SocketRules rules = new SocketRules(listener.ofOwner(), tokens);
                        String user = SocketRules.user(client);
                        open(new ApiConnection(client, request -> answer(request, api, rules, user)));
                    }
                }
            } catch (ClosedSelectorException stopped) {
                return;
            } catch (IOException failed) {
                if (isOpen()) {
                    log.warn("event=admin-accept-failed error=\"{}\"", LogText.text(FailureWords.of(failed)));
                    // Probably no file descriptor is left; the client stays in the backlog.
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } catch (RuntimeException ours) {
                if (isOpen()) {
                    log.warn("event=admin-accept-failed error=\"{}\"", LogText.text(FailureWords.of(ours)), ours);
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

    /// The token is checked before a permit is taken: a caller without one takes nothing from others.
    private ApiResponse answer(ApiRequest request, Api api, SocketRules rules, String user) {
        return guarded(request, asked -> switch (rules.admit(asked.token(), user)) {
            case SocketRules.Admission.Admitted(ApiCaller caller) ->
                permitted(asked, api, caller, rules.ofOwner() ? permits : groupPermits);
            case SocketRules.Admission.Refused(String why) -> {
                refused(user, asked, why);
                yield ApiResponse.error(401, why, Map.of("WWW-Authenticate", "Bearer"));
            }
        });
    }

    @FunctionalInterface
    private interface Answering {
        ApiResponse to(ApiRequest request) throws IOException;
    }

    private static ApiResponse guarded(ApiRequest request, Answering answering) {
        try {
            return answering.to(request);
        } catch (IOException | RuntimeException ours) {
            log.warn("event=admin-request-failed method={} path=\"{}\"", request.method(), LogText.text(request.path()),
                    ours);
            if (ours instanceof NotOnDiskException || ours.getCause() instanceof NotOnDiskException) {
                return ApiResponse.error(503, String.valueOf(ours.getMessage()));
            }
            return ApiResponse.error(500, "request failed: "
                    + Optional.ofNullable(ours.getMessage()).orElse("see its log"));
        }
    }

    private ApiResponse permitted(ApiRequest request, Api api, ApiCaller caller, Semaphore free) throws IOException {
        if (!free.tryAcquire()) {
            return ApiResponse.error(503, "too many requests", Map.of("Retry-After", "1"));
        }
        try {
            return recorded(request, caller, RequestAuthor.call(Optional.of(caller.name()),
                    () -> api.answer(request.method(), request.path(), request.query(), caller)));
        } finally {
            free.release();
        }
    }

    private void refused(String author, ApiRequest request, String why) {
        refusals.toTell(author).ifPresent(count -> log.warn(
                "event=operator-refused author=\"{}\" method={} path=\"{}\" reason=\"{}\" count={}",
                LogText.text(author), LogText.word(request.method()), LogText.text(request.path()), why, count));
    }

    /// Each request that changes something is in the log with its author.
    private ApiResponse recorded(ApiRequest request, ApiCaller caller, ApiResponse answer) {
        if (answer.status() == 403) {
            refused(caller.name(), request, "requires a greater right");
        } else if (!request.method().equals("GET")) {
            log.info("event=operator-request author=\"{}\" method={} path=\"{}\" query=\"{}\" status={}",
                    LogText.text(caller.name()), LogText.word(request.method()), LogText.text(request.path()),
                    LogText.text(request.query()), answer.status());
        }
        return answer;
    }
}
