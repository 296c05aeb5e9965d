package org.slipstream.world;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/// TCP and UNIX sockets between the processes of a world. Octets arrive in order, after a delay
/// from the seed, in pieces.
///
/// Only one thread of a world runs at a time and none is preempted, so nothing here is locked.
final class WorldNetwork {
    private static final int WINDOW_BYTES = 64 << 10;
    private static final int SEGMENT_BYTES = 1_400;
    private static final int BACKLOG = 200;
    private static final String QUIT = "QUIT\r\n";
    private static final Pattern LAST_PIECE = Pattern.compile("(?:^|\n)BDAT \\d+ LAST\r\n");
    private static final long SECOND = 1_000_000_000L;
    /// How long a system sends again before it gives a connection up.
    private static final long GIVES_UP_NANOS = 900 * SECOND;

    private final WorldScheduler scheduler;
    private final Map<String, Port> ports = new LinkedHashMap<>();
    private final Set<WorldLink> links = new LinkedHashSet<>();
    /// Attempts under way by process. Those of a process that was killed stay.
    private final Map<String, Integer> connecting = new LinkedHashMap<>();
    private Weather weather = Weather.FAIR;
    private Consumer<WorldLink> opened = _ -> {};
    private int nextPort = 40_000;
    private long toHosts;

    /// The chances of connections that begin now; each number is out of 1,000.
    ///
    /// @param delayMillis the longest additional delay of each segment
    record Weather(int refused, int lost, int reset, int silent, int apart, int delayMillis) {
        static final Weather FAIR = new Weather(0, 0, 0, 0, 0, 0);
    }

    WorldNetwork(WorldScheduler scheduler) {
        this.scheduler = scheduler;
    }

    /// Told of each connection, at the side of the client.
    void whenOpened(Consumer<WorldLink> observer) {
        opened = observer;
    }

    void weather(Weather next) {
        weather = next;
    }

    // ---- ports

    final class Port {
        private final String key;
        private final WorldScheduler.Process owner;
        private final Deque<WorldLink> backlog = new ArrayDeque<>();
        private final Waiters waiters = new Waiters();
        private final List<Runnable> watchers = new ArrayList<>();
        private boolean closed;

        private Port(String key, WorldScheduler.Process owner) {
            this.key = key;
            this.owner = owner;
        }

        WorldLink accept(long limitNanos) throws IOException {
            long end = limitNanos == 0 ? Long.MAX_VALUE : scheduler.now() + limitNanos;
            while (backlog.isEmpty()) {
                if (closed) {
                    throw new SocketException("Socket closed");
                }
                if (scheduler.now() >= end) {
                    throw new SocketTimeoutException("Accept timed out");
                }
                if (Thread.currentThread().isInterrupted()) {
                    close();
                    throw new SocketException("Closed by interrupt");
                }
                waiters.await(end - scheduler.now());
            }
            WorldLink link = backlog.poll();
            link.owner = owner;
            return link;
        }

        boolean hasClient() {
            return !backlog.isEmpty();
        }

        boolean isClosed() {
            return closed;
        }

        void watch(Runnable watcher) {
            watchers.add(watcher);
        }

        void close() {
            closed = true;
            ports.remove(key, this);
            backlog.forEach(WorldLink::reset);
            backlog.clear();
            waiters.wake();
        }
    }

    Port listen(SocketAddress address) throws IOException {
        String key = key(address);
        if (ports.containsKey(key)) {
            throw new java.net.BindException("Address already in use");
        }
        Port port = new Port(key, scheduler.current());
        ports.put(key, port);
        return port;
    }

    int freePort() {
        return nextPort++;
    }

    private static String key(SocketAddress address) {
        return switch (address) {
            case UnixDomainSocketAddress unix -> unix.getPath().toString();
            case InetSocketAddress tcp when tcp.getAddress().isAnyLocalAddress() -> "0.0.0.0:" + tcp.getPort();
            case InetSocketAddress tcp -> tcp.getAddress().getHostAddress() + ":" + tcp.getPort();
            default -> throw new IllegalArgumentException(address.toString());
        };
    }

    // ---- connections

    /// One end of a connection.
    final class WorldLink {
        private final Deque<byte[]> arrived = new ArrayDeque<>();
        private final Waiters readers = new Waiters();
        private final Waiters writers = new Waiters();
        private final Fate fate;
        private final boolean isClient;
        private WorldScheduler.Process owner;
        private WorldLink peer;
        private int used;
        private int buffered;
        private long lastArrival;
        private long sent;
        private boolean ended;
        private boolean broken;
        private boolean closed;
        /// A delivery is under way or waits for the greeting, as far as the octets tell.
        private boolean atWork = true;
        /// The content is sent. With pieces (BDAT) the replies to the commands before may come first, so a delivery may
        /// seem to end a moment too early.
        private boolean atEnd;
        private boolean inputShut;
        private boolean outputShut;
        private InetSocketAddress local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        private InetSocketAddress remote = local;

        private WorldLink(WorldScheduler.Process owner, Fate fate, boolean isClient) {
            this.owner = owner;
            this.fate = fate;
            this.isClient = isClient;
        }

        InetSocketAddress local() {
            return local;
        }

        InetSocketAddress remote() {
            return remote;
        }

        int available() throws IOException {
            check();
            return broken ? 0 : buffered;
        }

        int read(byte[] into, int offset, int length, long limitNanos) throws IOException {
            long end = limitNanos == 0 ? Long.MAX_VALUE : scheduler.now() + limitNanos;
            while (true) {
                check();
                if (buffered > 0) {
                    return take(into, offset, length);
                }
                if (broken) {
                    throw new SocketException("Connection reset");
                }
                if (ended || inputShut) {
                    return -1;
                }
                if (length == 0) {
                    return 0;
                }
                if (scheduler.now() >= end) {
                    throw new SocketTimeoutException("Read timed out");
                }
                interrupted();
                readers.await(end - scheduler.now());
            }
        }

        private int take(byte[] into, int offset, int length) {
            byte[] first = arrived.element();
            int count = Math.min(length, first.length - used);
            System.arraycopy(first, used, into, offset, count);
            used += count;
            buffered -= count;
            if (used == first.length) {
                arrived.remove();
                used = 0;
            }
            peer.writers.wake();
            return count;
        }

        private int inFlight() {
            return peer.buffered + peer.flying;
        }

        private int flying;

        void write(byte[] bytes, int offset, int length) throws IOException {
            int at = offset;
            while (at < offset + length) {
                check();
                if (broken || outputShut) {
                    throw new SocketException("Broken pipe");
                }
                int room = WINDOW_BYTES - inFlight();
                if (room <= 0) {
                    interrupted();
                    writers.await(GIVES_UP_NANOS);
                    continue;
                }
                int count = Math.min(room, offset + length - at);
                send(bytes, at, count);
                at += count;
            }
        }

        private void send(byte[] bytes, int offset, int length) {
            if (isClient) {
                asks(bytes, offset, length);
            } else {
                peer.answered(new String(bytes, offset, length, StandardCharsets.ISO_8859_1));
            }
            for (int at = offset; at < offset + length;) {
                int most = fate.apart ? 1 + scheduler.draw(3) : SEGMENT_BYTES;
                int count = Math.min(most, offset + length - at);
                byte[] segment = java.util.Arrays.copyOfRange(bytes, at, at + count);
                at += count;
                sent += count;
                if (fate.resetAfter < sent) {
                    arriveReset();
                    return;
                }
                if (fate.silentAfter < sent) {
                    scheduler.schedule(this::giveUp, GIVES_UP_NANOS);
                    return;
                }
                peer.flying += count;
                long when = arrival();
                scheduler.schedule(() -> peer.receive(segment), when - scheduler.now());
            }
        }

        /// Follows the dialogue of SMTP. When in doubt, nothing is under way.
        private void asks(byte[] bytes, int offset, int length) {
            String text = new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
            if (text.startsWith("MAIL ") || text.contains("\r\nMAIL FROM:")) {
                atWork = true;
                atEnd = false;
            } else if (text.startsWith("RSET") || text.startsWith("QUIT") || text.startsWith("NOOP")) {
                atWork = false;
            }
            atEnd |= text.endsWith("\r\n.\r\n") || text.equals(".\r\n") || LAST_PIECE.matcher(text).find();
        }

        private void answered(String replies) {
            char last = replies.charAt(replies.lastIndexOf('\n', replies.length() - 2) + 1);
            atWork = last == '3' || atWork && last == '2' && !atEnd;
        }

        private long arrival() {
            long delay = 50_000L + scheduler.draw(500_000)
                    + (fate.delayMillis > 0 ? scheduler.draw(fate.delayMillis) * 1_000_000L : 0)
                    + (fate.apart ? scheduler.draw(200) * 1_000_000L : 0);
            lastArrival = Math.max(lastArrival + 1, scheduler.now() + delay);
            return lastArrival;
        }

        private void receive(byte[] segment) {
            flying -= segment.length;
            if (closed || broken || owner.isDead()) {
                peer.arriveBroken();
                return;
            }
            if (!inputShut) {
                arrived.add(segment);
                buffered += segment.length;
            }
            readers.wake();
        }

        private void arriveBroken() {
            scheduler.schedule(() -> {
                broken = true;
                readers.wake();
                writers.wake();
            }, arrival() - scheduler.now());
        }

        private void arriveReset() {
            peer.arriveBroken();
            arriveBroken();
        }

        private void giveUp() {
            broken = true;
            readers.wake();
            writers.wake();
        }

        void shutdownOutput() throws IOException {
            check();
            endOutput();
        }

        private void endOutput() {
            if (!outputShut) {
                outputShut = true;
                if (fate.silentAfter >= sent) {
                    scheduler.schedule(() -> {
                        peer.ended = true;
                        peer.readers.wake();
                    }, arrival() - scheduler.now());
                }
            }
        }

        void shutdownInput() throws IOException {
            check();
            inputShut = true;
            readers.wake();
        }

        void close() {
            if (!closed) {
                closed = true;
                links.remove(this);
                if (buffered > 0) {
                    peer.arriveBroken();
                } else {
                    endOutput();
                }
                readers.wake();
                writers.wake();
            }
        }

        void reset() {
            if (!closed) {
                closed = true;
                links.remove(this);
                peer.arriveBroken();
                readers.wake();
                writers.wake();
            }
        }

        private void check() throws IOException {
            if (closed) {
                throw new SocketException("Socket closed");
            }
        }

        private void interrupted() throws IOException {
            if (Thread.currentThread().isInterrupted()) {
                close();
                throw new SocketException("Closed by interrupt");
            }
        }
    }

    /// The fate of one connection, drawn when it begins.
    private record Fate(long resetAfter, long silentAfter, boolean apart, int delayMillis) {
        static final Fate NONE = new Fate(Long.MAX_VALUE, Long.MAX_VALUE, false, 0);
    }

    private Fate fate() {
        if (weather == Weather.FAIR) {
            return Fate.NONE;
        }
        long reset = happens(weather.reset) ? scheduler.draw(1_500) : Long.MAX_VALUE;
        long silent = happens(weather.silent) ? scheduler.draw(1_500) : Long.MAX_VALUE;
        return new Fate(reset, silent, happens(weather.apart), weather.delayMillis);
    }

    private boolean happens(int of1000) {
        return of1000 > 0 && scheduler.draw(1_000) < of1000;
    }

    /// @param limitNanos 0 without limit
    WorldLink connect(SocketAddress where, long limitNanos) throws IOException {
        boolean unix = where instanceof UnixDomainSocketAddress;
        if (where instanceof InetSocketAddress unknown && unknown.isUnresolved()) {
            throw new NoRouteToHostException("unresolved address");
        }
        if (!unix) {
            WorldScheduler.Process process = scheduler.current();
            connecting.merge(process.name(), 1, Integer::sum);
            pause(100_000L + scheduler.draw(400_000));
            boolean lost = happens(weather.lost);
            if (lost) {
                pause(limitNanos == 0 ? 120 * SECOND : limitNanos);
            }
            connecting.merge(process.name(), -1, Integer::sum);
            if (lost) {
                throw new SocketTimeoutException("Connect timed out");
            }
        }
        Port port = ports.get(key(where));
        if (port == null || port.backlog.size() >= BACKLOG || !unix && happens(weather.refused)) {
            throw new ConnectException("Connection refused");
        }
        Fate fate = unix ? Fate.NONE : fate();
        WorldLink client = new WorldLink(scheduler.current(), fate, true);
        WorldLink server = new WorldLink(port.owner, unix ? Fate.NONE : fate(), false);
        client.peer = server;
        server.peer = client;
        if (where instanceof InetSocketAddress tcp) {
            client.remote = tcp;
            client.local = new InetSocketAddress(InetAddress.getLoopbackAddress(), freePort());
            server.remote = client.local;
            server.local = tcp;
        }
        links.add(client);
        links.add(server);
        port.backlog.add(server);
        port.waiters.wake();
        port.watchers.forEach(Runnable::run);
        if (!client.remote.getAddress().isLoopbackAddress()) {
            toHosts++;
        }
        opened.accept(client);
        return client;
    }

    /// Connections of this process to hosts elsewhere, or attempts to open one.
    boolean hasOpenToHosts(WorldScheduler.Process process) {
        return connecting.getOrDefault(process.name(), 0) > 0 || links.stream().anyMatch(link -> link.owner == process
                && !link.broken && link.local != link.remote && !link.remote.getAddress().isLoopbackAddress());
    }

    /// All connections of the process, also those within the machine.
    long open(WorldScheduler.Process process) {
        return links.stream().filter(link -> link.owner == process).count();
    }

    /// How many to hosts there were.
    long opened() {
        return toHosts;
    }

    /// Those on which a delivery is under way, or begins.
    long atWorkTo(WorldScheduler.Process process, InetAddress host) {
        return links.stream().filter(link -> link.owner == process && !link.broken && link.isClient && link.atWork
                && !link.ended && !link.peer.closed && link.local != link.remote
                && link.remote.getAddress().equals(host)).count();
    }

    private void pause(long nanos) {
        LockSupport.parkNanos(nanos);
    }

    /// The system closes the sockets of a process that has ended.
    ///
    /// @param silently the machine lost its power: peers learn it when they send
    void ended(WorldScheduler.Process process, boolean silently) {
        List.copyOf(ports.values()).stream().filter(port -> port.owner == process).forEach(port -> {
            if (silently) {
                port.closed = true;
                ports.remove(port.key);
            } else {
                port.close();
            }
        });
        List.copyOf(links).stream().filter(link -> link.owner == process).forEach(link -> {
            if (silently) {
                links.remove(link);
                link.closed = true;
            } else {
                link.close();
            }
        });
    }

    /// Threads that wait for something here.
    static final class Waiters {
        private final List<Thread> waiting = new ArrayList<>();

        void await(long nanos) {
            Thread self = Thread.currentThread();
            waiting.add(self);
            LockSupport.parkNanos(this, nanos);
            waiting.remove(self);
        }

        void wake() {
            waiting.forEach(LockSupport::unpark);
        }
    }
}
