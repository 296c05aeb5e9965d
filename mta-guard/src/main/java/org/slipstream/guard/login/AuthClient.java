package org.slipstream.guard.login;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/// The way to one socket of Dovecot: keeps a connection, and opens another one when it was lost. A
/// restart of Dovecot costs a request one more connection, not a failure.
final class AuthClient implements AutoCloseable {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);

    private final AuthSocket socket;
    private final Supplier<AuthLink.AuthDialect> dialect;
    private final Duration limit;
    /// Written by the thread that connects, read without waiting for it.
    private volatile Optional<AuthLink> link = Optional.empty();
    private Optional<CompletableFuture<AuthLink>> attempt = Optional.empty();
    private boolean closed;

    /// @param dialect asked for each connection
    AuthClient(AuthSocket socket, Supplier<AuthLink.AuthDialect> dialect) {
        this(socket, dialect, CONNECT_LIMIT);
    }

    AuthClient(AuthSocket socket, Supplier<AuthLink.AuthDialect> dialect, Duration limit) {
        this.socket = socket;
        this.dialect = dialect;
        this.limit = limit;
    }

    /// A request with its reply, on the connection that continues it.
    record Begun(AuthLink link, int id, AuthLine reply) {}

    /// @param request by its number
    Begun begin(IntFunction<AuthLine> request, Duration limit) throws IOException {
        AuthLink first = link();
        try {
            return begin(first, request, limit);
        } catch (IOException failed) {
            // A kept connection may have ended with the process behind it.
            if (first.isOpen()) {
                throw failed;
            }
            return begin(link(), request, limit);
        }
    }

    private static Begun begin(AuthLink link, IntFunction<AuthLine> request, Duration limit) throws IOException {
        int id = link.nextId();
        return new Begun(link, id, link.ask(request.apply(id), limit));
    }

    /// The open connection, if there is one.
    Optional<AuthLink> current() {
        return link.filter(AuthLink::isOpen);
    }

    /// The open connection, or a new one. Threads that ask while one connects share its result, so
    /// a Dovecot that does not answer costs each of them one time limit.
    AuthLink link() throws IOException {
        CompletableFuture<AuthLink> mine = new CompletableFuture<>();
        CompletableFuture<AuthLink> running;
        synchronized (this) {
            Optional<AuthLink> open = current();
            if (open.isPresent()) {
                return open.get();
            }
            running = attempt.orElse(mine);
            attempt = Optional.of(running);
        }
        if (running == mine) {
            connect(mine);
        }
        try {
            return running.join();
        } catch (CompletionException failed) {
            throw new IOException(String.valueOf(Objects.requireNonNullElse(failed.getCause(), failed).getMessage()),
                    failed);
        }
    }

    private void connect(CompletableFuture<AuthLink> result) {
        try {
            AuthLink opened = AuthLink.open(socket, dialect.get(), limit);
            synchronized (this) {
                link = Optional.of(opened);
                attempt = Optional.empty();
                if (closed) {
                    opened.close();
                }
            }
            result.complete(opened);
        } catch (IOException | RuntimeException failed) {
            synchronized (this) {
                attempt = Optional.empty();
            }
            result.completeExceptionally(failed);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        link.ifPresent(AuthLink::close);
    }
}
