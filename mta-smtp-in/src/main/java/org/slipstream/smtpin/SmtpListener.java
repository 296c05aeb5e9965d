package org.slipstream.smtpin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.auth.Mechanisms;
import org.subethamail.smtp.server.SMTPServer;
import org.subethamail.smtp.server.Session;
import org.subethamail.smtp.server.SessionHandler;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// One port: accepts sessions until it is closed.
///
/// SubEthaSMTP carries the accept loop, a virtual thread per session, the session's socket and its end. Its
/// command loop never runs: it reads lines of at most 998 characters and closes after a longer one, knows verbs by their first
/// four letters, answers unknown ones and timeouts by itself, counts nothing, and none of that can be replaced from outside.
/// The library asks a [SessionHandler] whether it may greet a client. We answer after our own [Conversation] with that
/// client is over, and then there is nobody left to greet.
public final class SmtpListener implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SmtpListener.class);
    /// Sessions of all ports of the process are numbered through, so that a number in the log is one session.
    private static final AtomicLong sessions = new AtomicLong();
    /// Connections beyond those that have a place or linger, to be told that there is no place.
    private static final int STANDING_ROOM = 50;
    private static final int BLOCKS_KEPT = 32;

    private final ListenerConfig config;
    private final ListenerServices services;
    private final Mechanisms mechanisms;
    private final Tuning tuning;
    private final ConnectionAdmission admission;
    private final SMTPServer server;
    private final Blocks blocks = new Blocks(BLOCKS_KEPT);
    private final Set<Conversation> conversations = ConcurrentHashMap.newKeySet();
    private final SessionWatchdog watchdog;
    private volatile boolean stopping;

    /// A listener whose house is a door and nothing else.
    public SmtpListener(ListenerConfig config, MessageHandler handler) {
        this(config, ListenerServices.of(handler));
    }

    /// @throws IllegalArgumentException when the service wants TLS and there is no certificate for it
    public SmtpListener(ListenerConfig config, ListenerServices services) {
        this(config, services, Tuning.standard());
    }

    SmtpListener(ListenerConfig config, ListenerServices services, Tuning tuning) {
        if (config.tls().isEmpty() && (config.service().tlsFromStart() || config.service().tlsRequired())) {
            throw new IllegalArgumentException(config.service().name() + " needs TLS, and no certificate is there");
        }
        this.config = config;
        this.services = services;
        this.mechanisms = new Mechanisms(services.credentials());
        this.tuning = tuning;
        this.admission = new ConnectionAdmission(config, services.guesses());
        this.watchdog = new SessionWatchdog(admission::isCrowded, config.limits().crowdedIdleMillis() * 1_000_000,
                tuning.nanos());
        this.server = server();
    }

    /// Binds and accepts. @throws IOException when the port is taken or not permitted; the message names it
    public void start() throws IOException {
        if (config.address().isUnresolved()) {
            throw cannotListen("unknown host", new IOException(config.address().toString()));
        }
        try {
            server.start();
        } catch (RuntimeException e) {
            if (e.getCause() instanceof IOException cause) {
                throw cannotListen(cause.getMessage(), cause);
            }
            throw e;
        }
        watchdog.start(tuning.watch());
        log.info("service={} address={}:{} msg=listening", config.service().name(), config.address().getHostString(),
                port());
    }

    /// The port in fact, for a configured port 0.
    public int port() {
        return server.getPortAllocated();
    }

    /// Refuses new sessions with 421, lets running transactions finish for up to `patience`, then closes.
    public synchronized void stop(Duration patience) {
        if (stopping) {
            return;
        }
        stopping = true;
        // Each on a thread of its own, since a client that reads nothing can make the last word wait.
        conversations.forEach(conversation -> Thread.startVirtualThread(conversation::dismiss));
        if (!awaitSilence(patience)) {
            log.warn("service={} sessions={} msg=\"cut at stop\"", config.service().name(), conversations.size());
            conversations.forEach(Conversation::cut);
        }
        watchdog.close();
        closePort();
        log.info("service={} msg=stopped", config.service().name());
    }

    @Override
    public void close() {
        stop(Duration.ofSeconds(10));
    }

    private SMTPServer server() {
        return SMTPServer.port(config.address().getPort()).hostName(config.hostname())
                .bindAddress(Optional.ofNullable(config.address().getAddress())).backlog(1024)
                .maxConnections(config.limits().connections() + ConnectionAdmission.lingering(config) + STANDING_ROOM)
                .serverSocketFactory(AcceptedSocket::listener)
                .executorService(Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("in-", 1).factory()))
                .serverThreadNameProvider(started -> "listener-" + started.getPortAllocated())
                .sessionHandler(new Doorkeeper()).build();
    }

    private IOException cannotListen(String why, IOException cause) {
        return new IOException("cannot listen on " + config.address().getHostString() + ":" + config.address().getPort()
                + " (" + config.service().name() + "): " + why, cause);
    }

    private boolean awaitSilence(Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        synchronized (conversations) {
            while (!conversations.isEmpty()) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(conversations, left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
        }
        return true;
    }

    // The library waits for its sessions without a limit; one whose disk hangs must not keep the process from ending.
    private void closePort() {
        Thread closer = Thread.ofPlatform().daemon().name("listener-close").start(server::stop);
        try {
            if (!closer.join(tuning.afterCut())) {
                log.warn("service={} msg=\"sessions still busy\"", config.service().name());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Lets clients in, and has the conversation with them right at the door.
    private final class Doorkeeper implements SessionHandler {
        @Override
        public SessionAcceptance accept(Session session) {
            InetAddress client = session.getRemoteAddress().getAddress();
            if (stopping) {
                return refused(client, Reply.of(421, "4.3.2", config.hostname() + " Shutting down, try again later"));
            }
            Optional<ConnectionAdmission.Place> place = admission.enter(client);
            if (place.isEmpty()) {
                return refused(client, admission.full());
            }
            try {
                converse(session, client, place.get());
            } finally {
                session.quit();
                place.get().leave();
            }
            return SessionAcceptance.success();
        }

        private SessionAcceptance refused(InetAddress client, Reply reply) {
            log.info("service={} client={} reply=\"{}\" msg=closed", config.service().name(),
                    ReceivedLine.literal(client),
                    LogText.text(reply.toString()));
            return SessionAcceptance.failure(reply.code(), reply.statusOrGeneral() + " " + reply.text());
        }

        private void converse(Session session, InetAddress client, ConnectionAdmission.Place place) {
            long number = sessions.incrementAndGet();
            Thread.currentThread().setName("in-" + number);
            SocketLink link;
            try {
                // The library made its writer on the accepting thread, where the JDK gives it 16 KiB; made again on a virtual
                // thread it gets 1 KiB. Its streams stay unused, and an idle session weighs 11 KiB instead of 26.
                session.setSocket(session.getSocket());
                link = new SocketLink((AcceptedSocket) session.getSocket(), number, tuning.lastWord());
            } catch (IOException gone) {
                log.debug("session={} gone=\"{}\"", number, LogText.text(gone.toString()));
                return;
            }
            SmtpStream wire = new SmtpStream(link, blocks, tuning.nanos(), config.limits().idleMillis() * 1_000_000);
            Conversation conversation = new Conversation(number, client, wire, services, config, tuning, place,
                    mechanisms,
                    () -> stopping);
            watchdog.watch(link);
            conversations.add(conversation);
            try {
                conversation.run();
            } finally {
                link.close(wire.begin(tuning.lastWord().toNanos()));
                watchdog.forget(link);
                synchronized (conversations) {
                    conversations.remove(conversation);
                    conversations.notifyAll();
                }
            }
        }

        @Override
        public void onSessionEnd(Session session) {
            // Everything was given back when the conversation ended.
        }
    }
}
