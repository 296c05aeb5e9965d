package org.slipstream.sink.server;

import org.slipstream.sink.script.ScriptRun;
import org.slipstream.sink.script.ScriptSession;
import org.slipstream.sink.script.ServerForm;
import org.slipstream.sink.script.ServerScript;
import org.slipstream.sink.store.CaughtMail;
import org.slipstream.sink.store.CaughtMessage;
import org.slipstream.sink.store.SessionLog;
import org.slipstream.sink.store.SessionTranscript;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import javax.net.ssl.SSLContext;

/// An SMTP or LMTP server that follows a script and keeps what it accepts.
///
/// A virtual thread serves each connection, so thousands of stalled ones cost little. The script can
/// be replaced at any time; open connections follow the new one from their next command.
public final class SinkServer implements AutoCloseable {
    private final CaughtMail store;
    private final SessionLog sessions;
    private final Consumer<CaughtMessage> arrivals;
    private final LongSupplier clock;
    private final Set<Closeable> sockets = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Followed followed;
    private final SinkPort port;

    /// A script in use, and what a session needs of it.
    record Followed(ScriptRun run, ServerTraits traits) {}

    private SinkServer(InetSocketAddress where, ServerScript script, CaughtMail store, SessionLog sessions,
            Consumer<CaughtMessage> arrivals, LongSupplier clock) throws IOException {
        this.clock = clock;
        this.store = store;
        this.sessions = sessions;
        this.arrivals = arrivals;
        followed = followed(script);
        port = SinkPort.open(where, () -> followed.run().script().form().acceptDelay(),
                (socket, client, in, out) -> serve(socket, client, new SinkLink(socket, in, out)));
    }

    /// @param arrivals gets each accepted message before its reply leaves; called by many threads
    public static SinkServer start(InetSocketAddress where, ServerScript script, CaughtMail store, SessionLog sessions,
            Consumer<CaughtMessage> arrivals) throws IOException {
        return start(where, script, store, sessions, arrivals, () -> System.nanoTime() / 1_000_000);
    }

    /// @param clock milliseconds of a monotonic clock, for the times in scripts
    public static SinkServer start(InetSocketAddress where, ServerScript script, CaughtMail store, SessionLog sessions,
            Consumer<CaughtMessage> arrivals, LongSupplier clock) throws IOException {
        return new SinkServer(where, script, store, sessions, arrivals, clock);
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) port.address();
    }

    /// Follows this script from now on. Its counters begin at zero.
    public void follow(ServerScript script) {
        followed = followed(script);
    }

    public ScriptRun run() {
        return followed.run();
    }

    Followed followed() {
        return followed;
    }

    private Followed followed(ServerScript script) {
        ServerForm form = script.form();
        List<String> extensions = new ArrayList<>(form.extensions());
        extensions.add("SIZE " + form.sizeLimit().bytes());
        return new Followed(new ScriptRun(script, nowMillis()),
                new ServerTraits(form.name(), form.lmtp(), extensions, form.tls(), context(form),
                        form.pipelining() == ServerForm.PipeliningForm.DISCARDS, true, form.sizeLimit().bytes(),
                        Long.MAX_VALUE, Long.MAX_VALUE));
    }

    static Optional<SSLContext> context(ServerForm form) {
        Instant now = Instant.now();
        Duration day = Duration.ofDays(1);
        return switch (form.tls()) {
            case GOOD -> Optional.of(SinkCertificates.context(
                    SinkCertificates.keys(now.minus(day), now.plus(day.multipliedBy(365)), form.name())));
            case EXPIRED -> Optional.of(SinkCertificates.context(SinkCertificates
                    .keys(now.minus(day.multipliedBy(10)), now.minus(day.multipliedBy(9)), form.name())));
            case WRONG_NAME -> Optional.of(SinkCertificates.context(
                    SinkCertificates.wrongName(now.minus(day), now.plus(day.multipliedBy(365)))));
            case OFF, HANDSHAKE_FAILURE, CLOSES, OLD_PROTOCOLS, REFUSED -> Optional.empty();
        };
    }

    long nowMillis() {
        return clock.getAsLong();
    }

    private void serve(Closeable socket, String client, SinkLink link) {
        sockets.add(socket);
        SessionTranscript transcript = sessions.begin(client);
        Followed now = followed;
        ScriptSession session = now.run().connect(client, nowMillis());
        Thread.ofVirtual().name("sink-" + transcript.number()).start(() -> {
            ScriptedPolicy policy = new ScriptedPolicy(this, now, session, transcript);
            String end = "the client closed";
            try {
                new SinkSession(policy, link).run();
            } catch (SinkLink.LinkClosed planned) {
                end = "the sink closed";
            } catch (IOException e) {
                end = "the connection ended: " + e.getMessage();
            } catch (InterruptedException e) {
                end = "the sink stopped";
            } finally {
                closeQuietly(socket);
                sockets.remove(socket);
                policy.end(end);
            }
        });
    }

    void received(ScriptSession session, SessionTranscript transcript, ReceivedContent message) throws IOException {
        transcript.add("C", "(content of " + message.wire().length + " octets)");
        if (message.isAccepted()) {
            CaughtMessage kept = store.keep(new CaughtMessage(0, Instant.now(), transcript.number(),
                    session.client(), session.helo(), message.sender(), message.recipients(), message.arguments(),
                    message.content()));
            arrivals.accept(kept);
        }
    }

    void awaitEnd() throws InterruptedException {
        closed.await();
    }

    static void closeQuietly(Closeable socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // Nothing else can be done.
        }
    }

    /// Stops listening and closes all connections.
    @Override
    public void close() {
        closed.countDown();
        port.close();
        sockets.forEach(SinkServer::closeQuietly);
    }
}
