package org.slipstream.testkit;

import org.slipstream.sink.server.SinkLink;
import org.slipstream.sink.server.SinkPort;
import org.slipstream.sink.server.SinkSession;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;

/// An SMTP or LMTP server for tests that receives messages and misbehaves on request.
///
/// It keeps every message and every command line byte for byte, in the order in which they were
/// complete. A test may call each method at any time from any thread. Connections are served by
/// platform threads, so that a client under test that blocks all carrier threads of its virtual
/// threads does not block the sink with them.
///
/// Each connection follows one [SinkPlan]. The sessions are those of `./mta sink` ([SinkSession]).
/// Postfix's `smtp-sink` is the model (`src/smtpstone/smtp-sink.c`).
public final class SmtpSink implements AutoCloseable {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(90);

    private final SocketAddress address;
    private final List<ReceivedMessage> messages = Collections.synchronizedList(new ArrayList<>());
    private final List<String> commands = Collections.synchronizedList(new ArrayList<>());
    private final List<byte[]> contents = Collections.synchronizedList(new ArrayList<>());
    private final List<String> clients = Collections.synchronizedList(new ArrayList<>());
    private final List<Throwable> differences = Collections.synchronizedList(new ArrayList<>());
    private final Set<Closeable> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger transactions = new AtomicInteger();
    private final AtomicInteger mostTransactions = new AtomicInteger();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger count = new AtomicInteger();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Map<SinkAction, Integer> applied = new IdentityHashMap<>();
    private volatile IntFunction<SinkPlan> plans;
    private volatile CountDownLatch gate = new CountDownLatch(1);
    private volatile SinkPort port;
    /// While the sink is stopped: bound and not listening, so that the port stays ours and
    /// connections are refused.
    private volatile Optional<SocketChannel> placeholder = Optional.empty();

    private SmtpSink(SocketAddress wanted, IntFunction<SinkPlan> plans) {
        this.plans = plans;
        port = listen(wanted);
        address = port.address();
    }

    /// An SMTP server on the loopback interface that accepts every message.
    public static SmtpSink start() {
        return start(SinkScript.smtp());
    }

    /// A server on a free port of the loopback interface.
    ///
    /// @param plans one per connection in order; the last one is repeated
    public static SmtpSink start(SinkPlan... plans) {
        return start(inOrder(plans));
    }

    /// A server on a free port of the loopback interface.
    ///
    /// @param plans the plan of each connection by its number, from 1
    public static SmtpSink start(IntFunction<SinkPlan> plans) {
        return new SmtpSink(loopback(), plans);
    }

    /// A server on a free port of the loopback interface that follows a [Transcript] per
    /// connection; the last one is repeated.
    public static SmtpSink following(String... transcripts) {
        return start(Arrays.stream(transcripts).map(Transcript::of).toArray(SinkPlan[]::new));
    }

    /// A server on a free port of this address; the wildcard address stands for all of this
    /// machine.
    public static SmtpSink on(InetAddress address, SinkPlan... plans) {
        return on(new InetSocketAddress(address, 0), plans);
    }

    /// A server on this port of this address, which must be free.
    public static SmtpSink on(InetSocketAddress address, SinkPlan... plans) {
        return new SmtpSink(address, inOrder(plans));
    }

    /// A server on a UNIX domain socket.
    public static SmtpSink on(Path socket, SinkPlan... plans) {
        return new SmtpSink(UnixDomainSocketAddress.of(socket), inOrder(plans));
    }

    private static IntFunction<SinkPlan> inOrder(SinkPlan... plans) {
        List<SinkPlan> all = List.of(plans);
        return number -> all.get(Math.min(number, all.size()) - 1);
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
    }

    /// The TCP port.
    public int port() {
        return ((InetSocketAddress) address).getPort();
    }

    /// Where clients connect.
    public InetSocketAddress address() {
        return (InetSocketAddress) address;
    }

    /// Whether the sink speaks LMTP.
    public boolean isLmtp() {
        return plans.apply(1) instanceof SinkScript script && script.isLmtp();
    }

    /// Follows this script from now on, on open connections, too.
    public void follow(SinkScript script) {
        plans = _ -> script;
    }

    /// Follows a changed script from now on, on open connections, too.
    ///
    /// @param change applied to the script of each connection
    public void change(UnaryOperator<SinkScript> change) {
        if (gate.getCount() == 0) {
            gate = new CountDownLatch(1);
        }
        IntFunction<SinkPlan> before = plans;
        Map<SinkPlan, SinkPlan> changed = new ConcurrentHashMap<>();
        plans = number -> changed.computeIfAbsent(before.apply(number), plan -> change.apply((SinkScript) plan));
    }

    /// Messages that were received whole.
    public List<ReceivedMessage> messages() {
        return List.copyOf(messages);
    }

    /// Gives the messages and forgets them; for a sink without connections.
    public List<ReceivedMessage> takeMessages() {
        List<ReceivedMessage> all = messages();
        messages.clear();
        contents.clear();
        return all;
    }

    /// How many messages were received whole, also where [SinkScript#countsOnly] keeps none.
    public int count() {
        return count.get();
    }

    /// All command lines of all connections.
    public List<String> commands() {
        return List.copyOf(commands);
    }

    /// Contents as they came over the wire: one character per octet, dots still stuffed, without
    /// the final dot.
    public List<String> contents() {
        return List.copyOf(contents).stream().map(octets -> new String(octets, StandardCharsets.ISO_8859_1)).toList();
    }

    /// The addresses that connections came from.
    public List<String> clients() {
        return List.copyOf(clients);
    }

    /// How many connections were accepted so far.
    public int connections() {
        return connections.get();
    }

    /// How many connections are open.
    public int open() {
        return sockets.size();
    }

    /// How many transactions, from MAIL to the end of the content, there were at most at the same
    /// time. The client uses a connection longer, so it never had fewer connections at work.
    public int mostTransactions() {
        return mostTransactions.get();
    }

    void transactionBegins() {
        mostTransactions.accumulateAndGet(transactions.incrementAndGet(), Math::max);
    }

    void transactionEnds() {
        transactions.decrementAndGet();
    }

    /// Waits until no connection is open: everything that clients had sent has then been kept or
    /// dropped.
    public void awaitIdle() {
        long end = System.nanoTime() + LONGEST_WAIT.toNanos();
        while (!sockets.isEmpty()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("connections are still open after " + LONGEST_WAIT + ": " + commands);
            }
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(5);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while connections were open", e);
        }
    }

    /// Lets everything continue that holds now or later, until the script changes.
    public void release() {
        gate.countDown();
    }

    /// Stops listening and closes all connections. The port stays reserved, and connections to it
    /// are refused.
    public void stop() {
        shut();
        if (placeholder.isEmpty()) {
            placeholder = Optional.of(reserve());
        }
    }

    /// Listens again, on the same port.
    public void startAgain() {
        giveUpPlaceholder();
        port = listen(address);
    }

    /// Closes everything.
    ///
    /// @throws AssertionError when a client did not follow a [Transcript]
    @Override
    public void close() {
        closed.countDown();
        gate.countDown();
        shut();
        giveUpPlaceholder();
        if (!differences.isEmpty()) {
            throw new AssertionError("the client did not follow the transcript: " + commands, differences.getFirst());
        }
    }

    SinkScript script(int connection) {
        return (SinkScript) plans.apply(connection);
    }

    /// The first exception that applies, else the usual behaviour.
    SinkAction action(SinkScript script, SinkPhase phase, String address) {
        return script.rules().stream().filter(rule -> rule.phase() == phase)
                .flatMap(rule -> rule.choice().apply(address).stream()).filter(this::applies).findFirst()
                .orElse(SinkAction.usual());
    }

    private boolean applies(SinkAction action) {
        if (action.times() == Integer.MAX_VALUE) {
            return true;
        }
        synchronized (applied) {
            return applied.merge(action, 1, Integer::sum) <= action.times();
        }
    }

    void heard(int connection, String line) {
        if (keeps(connection)) {
            commands.add(line);
        }
    }

    /// The count is last: a message that it has is in the lists.
    void keep(byte[] wire, ReceivedMessage message) {
        if (keeps(message.connection())) {
            contents.add(wire);
            messages.add(message);
        }
        count.incrementAndGet();
    }

    void keepContent(byte[] wire) {
        contents.add(wire);
        count.incrementAndGet();
    }

    private boolean keeps(int connection) {
        return !(plans.apply(connection) instanceof SinkScript script) || script.traits().keepsMessages();
    }

    void awaitRelease() throws InterruptedException {
        gate.await();
    }

    void awaitClose() throws InterruptedException {
        closed.await();
    }

    private SinkPort listen(SocketAddress where) {
        try {
            return SinkPort.open(where, () -> Duration.ZERO, (socket, client, in, out) -> {
                if (!client.isEmpty()) {
                    clients.add(client);
                }
                serve(socket, new SinkLink(socket, in, out));
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve(Closeable socket, SinkLink link) {
        sockets.add(socket);
        int number = connections.incrementAndGet();
        Thread.ofPlatform().name("sink-" + number).daemon().start(() -> {
            try {
                switch (plans.apply(number)) {
                    case SinkScript _ -> new SinkSession(new SinkScriptPolicy(this, number), link).run();
                    case Transcript transcript -> follow(transcript, link, number);
                }
            } catch (IOException | InterruptedException _) {
                // The client is gone, or the sink was stopped, or the script closes here.
            } finally {
                closeQuietly(socket);
                sockets.remove(socket);
            }
        });
    }

    private void follow(Transcript transcript, SinkLink link, int number) throws InterruptedException {
        try {
            new TranscriptSession(this, link, number).run(transcript);
        } catch (AssertionError e) {
            differences.add(e);
        } catch (IOException e) {
            if (closed.getCount() > 0) {
                differences.add(e);
            }
        }
    }

    private void shut() {
        port.close();
        sockets.forEach(SmtpSink::closeQuietly);
    }

    private SocketChannel reserve() {
        try {
            return SocketChannel.open().setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(address);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void giveUpPlaceholder() {
        placeholder.ifPresent(SmtpSink::closeQuietly);
        placeholder = Optional.empty();
    }

    private static void closeQuietly(Closeable what) {
        try {
            what.close();
        } catch (IOException _) {
            // A socket that cannot be closed is closed.
        }
    }
}
