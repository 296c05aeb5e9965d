package org.slipstream.it.cluster;

import org.slipstream.sink.script.Reaction;
import org.slipstream.sink.script.ScriptPhase;
import org.slipstream.sink.script.TlsBehaviour;
import org.slipstream.sink.server.ReceivedContent;
import org.slipstream.sink.server.ServerTraits;
import org.slipstream.sink.server.SessionPolicy;
import org.slipstream.sink.server.SinkLink;
import org.slipstream.sink.server.SinkPort;
import org.slipstream.sink.server.SinkSession;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// One host that writes the [MailHistory] and counts the connections that it has from the whole cluster.
///
/// Connections of a node that was frozen are taken out of the count at that moment: such a node closes nothing, and its
/// lanes are lent to others after a time (docs/cluster.md). The kernel names them by their ports, because one that has
/// just been opened has not sent the name of its node. It closes those of a process that was killed.
final class HistorySink implements AutoCloseable {
    /// Of one host in a run.
    private static final int MOST_CROWDS = 10_000;
    private static final int SIZE_LIMIT = 10_000_000;
    private static final ServerTraits TRAITS = new ServerTraits("sink.example", false,
            List.of("PIPELINING", "8BITMIME", "ENHANCEDSTATUSCODES"), TlsBehaviour.OFF, Optional.empty(), false, false,
            SIZE_LIMIT, Long.MAX_VALUE, Long.MAX_VALUE);

    private final MailHistory history;
    private final MailHistory.Host host;
    private final SinkPort port;
    private final Set<Session> sessions = ConcurrentHashMap.newKeySet();
    /// Ports at the other end of connections that do not count.
    private final Set<Integer> lostPorts = ConcurrentHashMap.newKeySet();
    private final Set<String> putOff = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean takesNothing;
    private final List<Crowd> crowds = new ArrayList<>();
    private int most;

    HistorySink(MailHistory history, MailHistory.Host host) {
        this.history = history;
        this.host = host;
        try {
            port = SinkPort.open(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0),
                    () -> Duration.ZERO, (socket, _, in, out) -> {
                        Session session = new Session(socket);
                        sessions.add(session);
                        count();
                        Thread.ofPlatform().daemon().name("history-sink")
                                .start(() -> session.run(new SinkLink(socket, in, out)));
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return ((InetSocketAddress) port.address()).getPort();
    }

    /// While it takes nothing, each recipient is answered with 451.
    void takesNothing(boolean nothing) {
        takesNothing = nothing;
    }

    /// A node is frozen. Some of its connections may wait to be accepted here.
    ///
    /// @param ports of all its connections, at its end
    void isLost(Set<Integer> ports) {
        lostPorts.addAll(ports);
    }

    /// More connections than before, one after another.
    synchronized List<Overlap> overlaps() {
        return crowds.stream().map(each -> new Overlap(each.atNanos(), each.sessions().stream()
                .map(session -> session.quitNanos).toList(), each.from())).toList();
    }

    private record Crowd(long atNanos, List<Session> sessions, List<String> from) {}

    /// A client that has closed its end counts no longer, even if this busy machine has not read the end yet.
    private synchronized void count() {
        long now = System.nanoTime();
        List<Session> counted = sessions.stream().filter(session -> !lostPorts.contains(session.clientPort()))
                .toList();
        if (counted.size() > Math.min(most, FaultyCluster.LANES)) {
            Set<Integer> established = OpenPorts.connectedTo(port());
            counted = counted.stream().filter(session -> established.contains(session.clientPort())).toList();
        }
        if (counted.size() > Math.min(most, FaultyCluster.LANES) && crowds.size() < MOST_CROWDS) {
            most = Math.max(most, counted.size());
            crowds.add(new Crowd(now, counted, counted.stream().map(Session::describe).toList()));
        }
    }

    private final class Session implements SessionPolicy {
        private final Closeable socket;
        private final int clientPort;
        private volatile String node = "";
        private volatile OptionalLong quitNanos = OptionalLong.empty();
        private volatile String last = "(connected)";
        private volatile long lastNanos = System.nanoTime();

        private Session(Closeable socket) {
            this.socket = socket;
            clientPort = ((Socket) socket).getPort();
        }

        String describe() {
            return node + " " + last + " since " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastNanos)
                    + " ms";
        }

        int clientPort() {
            return clientPort;
        }

        void run(SinkLink link) {
            try {
                new SinkSession(this, link).run();
            } catch (IOException | InterruptedException e) {
                // The node is gone, or the sink is closed.
            } finally {
                sessions.remove(this);
                lostPorts.remove(clientPort);
                closeQuietly();
            }
        }

        private void closeQuietly() {
            try {
                socket.close();
            } catch (IOException e) {
                // It is closed.
            }
        }

        @Override
        public ServerTraits traits() {
            return TRAITS;
        }

        @Override
        public Reaction react(ScriptPhase phase, String argument) {
            if (phase == ScriptPhase.HELO) {
                node = argument.replaceFirst("\\..*", "");
            }
            if (phase != ScriptPhase.RCPT) {
                return Reaction.USUAL;
            }
            return switch (host) {
                case REFUSES -> Reaction.reply("550 5.1.1 no such user");
                case LATER -> putOff.add(argument) || takesNothing
                        ? Reaction.reply("451 4.3.2 come again")
                        : Reaction.USUAL;
                case TAKES -> Reaction.USUAL;
            };
        }

        @Override
        public void heard(String line) {
            last = line;
            if (line.equalsIgnoreCase("QUIT")) {
                quitNanos = OptionalLong.of(System.nanoTime());
            }
            lastNanos = System.nanoTime();
        }

        @Override
        public void received(ReceivedContent message) {
            if (message.sender().isEmpty() && isDelayed(message)) {
                return;
            }
            long now = System.nanoTime();
            message.recipients().forEach(each -> history.received(each, new MailHistory.Copy(node, now)));
        }

        /// A clock that is off by hours makes messages old, and their senders get notices of a delay.
        private static boolean isDelayed(ReceivedContent message) {
            return new String(message.content(), StandardCharsets.ISO_8859_1).contains("\r\nAction: delayed\r\n");
        }

        @Override
        public void awaitEnd() throws InterruptedException {
            closed.await();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        port.close();
        sessions.forEach(Session::closeQuietly);
    }
}
