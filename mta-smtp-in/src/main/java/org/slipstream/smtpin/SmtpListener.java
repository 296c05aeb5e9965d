package org.slipstream.smtpin;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.subethamail.smtp.server.SMTPServer;
import org.subethamail.smtp.server.Session;
import org.subethamail.smtp.server.SessionHandler;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/// One port: accepts sessions until it is closed.
///
/// SubEthaSMTP provides the accept loop, a virtual thread per session, the session's socket and its
/// end. The library's command loop never runs. It reads lines of at most 998 characters and closes
/// after a longer one, knows verbs by their first four letters, replies to unknown ones and
/// timeouts itself, counts nothing, and none of that can be replaced from outside. The library asks
/// a [SessionHandler] whether it may greet a client. Ours returns after the whole [SmtpSession],
/// when no client is left to greet.
public final class SmtpListener implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SmtpListener.class);
    /// Numbers the sessions of all ports of the process, so that a number in the log is one
    /// session.
    private static final AtomicLong sessions = new AtomicLong();
    /// Connections beyond the places and the lingering ones, which only get the reply that all
    /// places are taken.
    private static final int REFUSALS = 50;
    private static final int BLOCKS_KEPT = 32;
    /// The library adds ten, and a negative sum accepts no client at all.
    private static final int UNLIMITED = Integer.MAX_VALUE / 2;

    private final Tuning tuning;
    private final ConnectionAdmission admission;
    private final SMTPServer server;
    private final BufferPool blocks = new BufferPool(BLOCKS_KEPT);
    private final Set<SmtpSession> liveSessions = ConcurrentHashMap.newKeySet();
    private final SessionWatchdog watchdog;
    private volatile Setup setup;
    private volatile @Nullable ListenerSocket port;
    private volatile boolean stopping;
    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();

    /// Settings and services together; a session keeps those with which it began.
    private record Setup(ListenerConfig config, ListenerServices services) {}

    /// A listener with a message handler and standard services.
    public SmtpListener(ListenerConfig config, MessageHandler handler) {
        this(config, ListenerServices.of(handler));
    }

    /// @throws IllegalArgumentException when the service needs TLS and no certificate is configured
    public SmtpListener(ListenerConfig config, ListenerServices services) {
        this(config, services, Tuning.standard());
    }

    SmtpListener(ListenerConfig config, ListenerServices services, Tuning tuning) {
        this(config, services, tuning, AcceptedSocket::unconnected);
    }

    /// @param sockets unconnected sockets, one for each client
    SmtpListener(ListenerConfig config, ListenerServices services, Tuning tuning, Supplier<AcceptedSocket> sockets) {
        requireTls(config);
        this.setup = new Setup(config, services);
        this.tuning = tuning;
        this.admission = new ConnectionAdmission(config, services.guesses());
        this.watchdog = new SessionWatchdog(admission::isCrowded,
                () -> config().limits().crowdedIdleMillis() * 1_000_000, tuning.nanos());
        this.server = server(config, sockets);
    }

    private static void requireTls(ListenerConfig config) {
        if (config.tls().isEmpty() && (config.service().tlsFromStart() || config.service().tlsRequired())) {
            throw new IllegalArgumentException(
                    config.service().name() + " needs TLS, but no certificate is configured");
        }
    }

    private ListenerConfig config() {
        return setup.config();
    }

    /// Other settings for the sessions that begin from now on. Sessions in progress keep theirs. The
    /// address stays, and so do the bans and counts of the services that are shared.
    public void change(ListenerConfig config, ListenerServices services) {
        requireTls(config);
        setup = new Setup(config, services);
        admission.change(config);
    }

    /// Closes the port. Sessions in progress go on; [#stop] ends them.
    public void retire() {
        try {
            if (port != null) {
                port.retire();
            }
        } catch (IOException failed) {
            log.warn("event=listener-not-closed listener={} error=\"{}\"", config().service().name(),
                    LogText.text(failed.toString()));
        }
    }

    /// Sessions in progress.
    public int sessions() {
        return liveSessions.size();
    }

    /// Counts since the port was opened.
    ///
    /// @param open sessions in progress
    public record ListenerFigures(int open, long accepted, long refused) {}

    public ListenerFigures figures() {
        return new ListenerFigures(liveSessions.size(), accepted.sum(), refused.sum());
    }

    /// Binds and accepts. @throws IOException when the address is in use or not permitted; the
    /// message names it
    public void start() throws IOException {
        if (config().address().isUnresolved()) {
            throw cannotListen("unknown host", new IOException(config().address().toString()));
        }
        try {
            server.start();
        } catch (RuntimeException e) {
            if (e.getCause() instanceof IOException cause) {
                throw cannotListen(Objects.requireNonNullElse(cause.getMessage(), cause.toString()), cause);
            }
            throw e;
        }
        watchdog.start(tuning.watch());
        log.info("event=listening listener={} address={}:{}", config().service().name(),
                config().address().getHostString(),
                port());
    }

    /// The bound port, for a configured port 0.
    public int port() {
        return server.getPortAllocated();
    }

    /// Refuses new sessions with 421, lets running transactions finish within `timeout`, then
    /// closes.
    public synchronized void stop(Duration timeout) {
        if (stopping) {
            return;
        }
        stopping = true;
        // Each on its own thread, because a client that does not read can block the last reply.
        liveSessions.forEach(smtpSession -> Thread.startVirtualThread(smtpSession::shutDownIfIdle));
        if (!awaitSessions(timeout)) {
            log.warn("event=sessions-aborted listener={} count={}", config().service().name(), liveSessions.size());
            liveSessions.forEach(SmtpSession::abort);
        }
        watchdog.close();
        closePort();
        log.info("event=listener-stopped listener={}", config().service().name());
    }

    @Override
    public void close() {
        stop(Duration.ofSeconds(10));
    }

    // The port itself limits the connections, because the library's limit cannot be changed later.
    private SMTPServer server(ListenerConfig config, Supplier<AcceptedSocket> sockets) {
        return SMTPServer.port(config.address().getPort()).hostName(config.hostname())
                .bindAddress(Optional.ofNullable(config.address().getAddress())).backlog(1024)
                .maxConnections(UNLIMITED)
                .serverSocketFactory(() -> port(config.service().name(), sockets))
                .executorService(Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("in-", 1).factory()))
                .serverThreadNameProvider(started -> "listener-" + started.getPortAllocated())
                .sessionHandler(new SessionStarter()).build();
    }

    private ListenerSocket port(String name, Supplier<AcceptedSocket> sockets) throws IOException {
        ListenerSocket opened = new ListenerSocket(name, sockets, () -> config().limits().connections()
                + ConnectionAdmission.lingering(config()) + REFUSALS);
        port = opened;
        return opened;
    }

    private IOException cannotListen(String why, IOException cause) {
        return new IOException(
                "cannot listen on " + config().address().getHostString() + ":" + config().address().getPort()
                        + " (" + config().service().name() + "): " + why,
                cause);
    }

    private boolean awaitSessions(Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        synchronized (liveSessions) {
            while (!liveSessions.isEmpty()) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(liveSessions, left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
        }
        return true;
    }

    // The library waits for its sessions without a limit; a session blocked on disk must not keep
    // the process alive.
    private void closePort() {
        Thread closer = Thread.ofPlatform().daemon().name("listener-close").start(server::stop);
        try {
            if (!closer.join(tuning.afterAbort())) {
                log.warn("event=sessions-still-open listener={}", config().service().name());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Admits clients and serves their sessions inside the library's admission callback.
    private final class SessionStarter implements SessionHandler {
        @Override
        public SessionAcceptance accept(Session session) {
            InetAddress client = session.getRemoteAddress().getAddress();
            if (stopping) {
                return refused(client, Reply.of(421, "4.3.2", config().hostname() + " Shutting down, try again later"));
            }
            Optional<ConnectionAdmission.Place> place = admission.enter(client);
            if (place.isEmpty()) {
                return refused(client, admission.full());
            }
            try {
                serve(session, client, place.get());
            } finally {
                session.quit();
                place.get().leave();
            }
            return SessionAcceptance.success();
        }

        private SessionAcceptance refused(InetAddress client, Reply reply) {
            refused.increment();
            log.info("event=connection-refused listener={} client={} reply=\"{}\"", config().service().name(),
                    ReceivedLine.literal(client), LogText.text(reply.toString()));
            return SessionAcceptance.failure(reply.code(), reply.statusOrGeneral() + " " + reply.text());
        }

        private void serve(Session session, InetAddress client, ConnectionAdmission.Place place) {
            long number = sessions.incrementAndGet();
            accepted.increment();
            Thread.currentThread().setName("in-" + number);
            SocketLink link;
            try {
                // The library makes its writer on the accepting thread, where the JDK gives it 16
                // KiB; on a virtual thread it gets 1 KiB. Its streams stay unused, and an idle
                // session takes 11 KiB instead of 26.
                session.setSocket(session.getSocket());
                link = new SocketLink((AcceptedSocket) session.getSocket(), number, tuning.linger());
            } catch (IOException gone) {
                log.debug("event=client-gone session={} error=\"{}\"", number, LogText.text(gone.toString()));
                return;
            }
            Setup own = setup;
            SmtpStream wire = new SmtpStream(link, blocks, tuning.nanos(),
                    own.config().limits().idle().toMillis() * 1_000_000);
            SmtpSession smtpSession = new SmtpSession(number, client, wire, own.services(), own.config(), tuning, place,
                    () -> stopping);
            watchdog.watch(link);
            liveSessions.add(smtpSession);
            try {
                smtpSession.run();
            } finally {
                link.close(wire.begin(tuning.linger().toNanos()));
                watchdog.unwatch(link);
                synchronized (liveSessions) {
                    liveSessions.remove(smtpSession);
                    liveSessions.notifyAll();
                }
            }
        }

        @Override
        public void onSessionEnd(Session session) {
            // All resources were released when the session ended.
        }
    }
}
