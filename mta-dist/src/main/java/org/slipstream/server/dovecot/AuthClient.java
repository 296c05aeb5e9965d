package org.slipstream.server.dovecot;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/// The way to one socket of Dovecot: keeps a connection, and opens another one when it was lost. A
/// restart of Dovecot costs a request one more connection, not a failure.
final class AuthClient implements AutoCloseable {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);

    private final AuthSocket socket;
    private final Supplier<AuthLink.AuthDialect> dialect;
    /// Written by the thread that connects, read without waiting for it.
    private volatile Optional<AuthLink> link = Optional.empty();
    private boolean closed;

    /// @param dialect asked for each connection
    AuthClient(AuthSocket socket, Supplier<AuthLink.AuthDialect> dialect) {
        this.socket = socket;
        this.dialect = dialect;
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

    synchronized AuthLink link() throws IOException {
        if (closed) {
            throw new IOException("Dovecot at " + socket + ": this server stops");
        }
        Optional<AuthLink> open = current();
        if (open.isEmpty()) {
            link = Optional.of(AuthLink.open(socket, dialect.get(), CONNECT_LIMIT));
        }
        return link.orElseThrow();
    }

    @Override
    public synchronized void close() {
        closed = true;
        link.ifPresent(AuthLink::close);
    }
}
