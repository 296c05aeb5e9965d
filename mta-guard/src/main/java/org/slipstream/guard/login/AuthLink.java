package org.slipstream.guard.login;

import org.jspecify.annotations.Nullable;
import org.slipstream.core.FailureWords;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/// One connection to Dovecot's authentication service, shared by all who ask: requests carry
/// numbers, and replies come in any order. Each wait for a reply has a time limit.
///
/// Two virtual threads of its own use the socket. A thread that asks waits for a future and never
/// touches the channel, because an interrupted thread inside a channel closes it for all others.
final class AuthLink implements AutoCloseable {
    private static final int MOST_WAITING = 500;
    /// Far longer than any line of Dovecot. The socket may be a TCP port without encryption, so
    /// another program may send the lines.
    static final int MOST_LINE_CHARS = 64 * 1024;
    /// Dovecot has about ten.
    static final int MOST_GREETING_LINES = 200;

    /// The beginning of a conversation.
    ///
    /// @param greeting our lines
    /// @param ready the verb that ends Dovecot's greeting
    record AuthDialect(List<AuthLine> greeting, String ready) {}

    private final AuthSocket socket;
    private final AuthDialect dialect;
    private final Map<Integer, CompletableFuture<AuthLine>> waiting = new ConcurrentHashMap<>();
    private final BlockingQueue<AuthLine> output = new LinkedBlockingQueue<>();
    private final CompletableFuture<List<AuthLine>> greeting = new CompletableFuture<>();
    private final AtomicInteger ids = new AtomicInteger();
    private volatile @Nullable SocketChannel channel;
    private volatile @Nullable Thread writer;
    private final AtomicReference<@Nullable Exception> ended = new AtomicReference<>();

    private AuthLink(AuthSocket socket, AuthDialect dialect) {
        this.socket = socket;
        this.dialect = dialect;
    }

    /// Connects, and returns when Dovecot has greeted.
    static AuthLink open(AuthSocket socket, AuthDialect dialect, Duration limit) throws IOException {
        AuthLink link = new AuthLink(socket, dialect);
        Thread.ofVirtual().name("dovecot-in").start(link::run);
        try {
            link.result(link.greeting, limit);
            return link;
        } catch (IOException failed) {
            link.close();
            throw failed;
        }
    }

    /// Dovecot's lines before it was ready.
    List<AuthLine> offer() {
        return greeting.join();
    }

    boolean isOpen() {
        return ended.get() == null;
    }

    int nextId() {
        return ids.updateAndGet(id -> id % 999_999_999 + 1);
    }

    /// Sends a request or its continuation, and returns the reply with the same number.
    AuthLine ask(AuthLine request, Duration limit) throws IOException {
        int id = request.id().orElseThrow();
        if (waiting.size() >= MOST_WAITING) {
            throw new IOException("too many requests to Dovecot at once");
        }
        CompletableFuture<AuthLine> reply = new CompletableFuture<>();
        waiting.put(id, reply);
        try {
            tell(request);
            return result(reply, limit);
        } finally {
            waiting.remove(id, reply);
        }
    }

    /// Sends a line that has no reply.
    void tell(AuthLine line) throws IOException {
        output.add(line);
        Exception why = ended.get();
        if (why != null) {
            throw trouble(FailureWords.of(why));
        }
    }

    @Override
    public void close() {
        end(new IOException("the connection was closed"));
    }

    private <T> T result(CompletableFuture<T> future, Duration limit) throws IOException {
        try {
            return future.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            throw trouble("no answer after " + limit.toSeconds() + " s");
        } catch (ExecutionException failed) {
            throw trouble(FailureWords.of(Objects.requireNonNullElse(failed.getCause(), failed)));
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw trouble("interrupted");
        }
    }

    private IOException trouble(String why) {
        return new IOException("Dovecot at " + socket + ": " + why);
    }

    private void run() {
        try (SocketChannel connected = socket.connect()) {
            channel = connected;
            if (!isOpen()) {
                return;
            }
            Thread writing = Thread.ofVirtual().name("dovecot-out").unstarted(() -> write(connected));
            writer = writing;
            writing.start();
            dialect.greeting().forEach(output::add);
            read(new BufferedReader(
                    new InputStreamReader(Channels.newInputStream(connected), StandardCharsets.UTF_8)));
            end(new IOException("closed by Dovecot"));
        } catch (IOException | RuntimeException failed) {
            end(failed);
        }
    }

    private void read(BufferedReader in) throws IOException {
        List<AuthLine> offer = new ArrayList<>();
        for (String text = line(in); text != null; text = line(in)) {
            AuthLine line = AuthLine.parse(text);
            if (line.verb().equals("VERSION") && !line.words().get(1).equals("1")) {
                throw new IOException("it speaks version " + line.words().get(1) + " of its protocol, not 1");
            }
            if (!greeting.isDone()) {
                if (offer.size() == MOST_GREETING_LINES) {
                    throw new IOException("its greeting has more than " + MOST_GREETING_LINES + " lines");
                }
                offer.add(line);
                if (line.verb().equals(dialect.ready())) {
                    greeting.complete(List.copyOf(offer));
                }
            } else if (line.id().isPresent()) {
                CompletableFuture<AuthLine> reply = waiting.get(line.id().getAsInt());
                if (reply != null) {
                    reply.complete(line);
                }
            }
        }
    }

    private static @Nullable String line(BufferedReader in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                return null;
            }
            if (line.length() == MOST_LINE_CHARS) {
                throw new IOException("a line is longer than " + MOST_LINE_CHARS + " characters");
            }
            line.append((char) c);
        }
        return line.toString();
    }

    private void write(SocketChannel connected) {
        try {
            while (isOpen()) {
                ByteBuffer bytes = StandardCharsets.UTF_8.encode(output.take().text() + "\n");
                while (bytes.hasRemaining()) {
                    connected.write(bytes);
                }
            }
        } catch (IOException failed) {
            end(failed);
        } catch (InterruptedException end) {
            // By #end: the connection is closed.
        }
    }

    private void end(Exception why) {
        // A failure that the end has caused is not its reason.
        if (!ended.compareAndSet(null, why)) {
            return;
        }
        greeting.completeExceptionally(why);
        waiting.values().forEach(reply -> reply.completeExceptionally(why));
        Thread writing = writer;
        if (writing != null) {
            writing.interrupt();
        }
        SocketChannel open = channel;
        if (open != null) {
            try {
                open.close();
            } catch (IOException _) {
                // It is of no more use in any case.
            }
        }
    }
}
