package org.slipstream.sink.server;

import org.slipstream.sink.script.HttpRule.HttpFault;
import org.slipstream.sink.script.HttpRule.SinkAnswer;
import org.slipstream.sink.script.HttpRun;
import org.slipstream.sink.script.Reaction;
import org.slipstream.sink.script.ServerScript;
import org.slipstream.sink.script.TlsBehaviour;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import javax.net.ssl.SSLContext;

/// A web server for tests of programs that post: it takes each request, and answers as a script says. With `tls` in the
/// script it speaks TLS from the first octet.
///
/// A virtual thread serves each connection, which has one request.
public final class HttpSink implements AutoCloseable {
    private static final int LARGEST_BODY = 8 << 20;
    private static final int MOST_HEADERS = 100;
    private static final int BLOCK = 8 << 10;
    private static final int INFORMATIONAL = 100;

    private final Set<Closeable> sockets = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Consumer<HttpReceived> arrivals;
    private final AtomicLong octets = new AtomicLong();
    private final SinkPort port;
    private volatile Behaviour behaviour;

    private record Behaviour(HttpRun run, TlsBehaviour tls, Optional<SSLContext> context) {
        static Behaviour of(ServerScript script) {
            return new Behaviour(new HttpRun(script), script.form().tls(), SinkServer.context(script.form()));
        }
    }

    private HttpSink(InetSocketAddress where, ServerScript script, Consumer<HttpReceived> arrivals)
            throws IOException {
        this.arrivals = arrivals;
        behaviour = Behaviour.of(script);
        port = SinkPort.open(where, () -> Duration.ZERO,
                (socket, _, in, out) -> serve(socket, new SinkLink(socket, in, out)));
    }

    /// @param arrivals gets each request before its answer leaves; called by many threads
    public static HttpSink start(InetSocketAddress where, ServerScript script, Consumer<HttpReceived> arrivals)
            throws IOException {
        return new HttpSink(where, script, arrivals);
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) port.address();
    }

    /// Follows this script from now on. Its counters begin at zero.
    public void follow(ServerScript script) {
        behaviour = Behaviour.of(script);
    }

    /// Octets of bodies and heads that were sent without an end, as far as clients took them.
    public long octetsSent() {
        return octets.get();
    }

    private void serve(Closeable socket, SinkLink link) {
        sockets.add(socket);
        Thread.ofVirtual().name("http-sink").start(() -> {
            try (socket) {
                Behaviour now = behaviour;
                if (secure(now, link)) {
                    answer(link, now.run());
                }
            } catch (IOException gone) {
                // The client closed the connection, or the script did.
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            } finally {
                sockets.remove(socket);
            }
        });
    }

    /// False when the handshake is where the script ends the connection.
    private static boolean secure(Behaviour now, SinkLink link) throws IOException {
        if (now.context().isPresent()) {
            link.startTls(now.context().get());
        }
        switch (now.tls()) {
            case HANDSHAKE_FAILURE -> link.alert(SinkSession.HANDSHAKE_FAILURE);
            case OLD_PROTOCOLS -> link.alert(SinkSession.PROTOCOL_VERSION);
            case CLOSES -> link.read();
            case OFF, GOOD, EXPIRED, WRONG_NAME, REFUSED -> {
                return true;
            }
        }
        return false;
    }

    private void answer(SinkLink link, HttpRun run) throws IOException, InterruptedException {
        String[] first = link.line().split(" ", 3);
        Map<String, String> headers = new HashMap<>();
        for (String line = link.line(); !line.isEmpty() && headers.size() < MOST_HEADERS; line = link.line()) {
            String[] field = line.split(":", 2);
            headers.put(field[0].toLowerCase(Locale.ROOT), field.length > 1 ? field[1].strip() : "");
        }
        String length = headers.getOrDefault("content-length", "0");
        if (first.length < 3 || !length.matches("[0-9]{1,7}") || Integer.parseInt(length) > LARGEST_BODY) {
            link.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            link.flush();
            return;
        }
        byte[] body = link.read(Integer.parseInt(length));
        SinkAnswer answer = run.next();
        arrivals.accept(new HttpReceived(first[0], first[1], headers, body, answer.status()));
        give(link, answer);
    }

    private void give(SinkLink link, SinkAnswer answer) throws IOException, InterruptedException {
        Thread.sleep(answer.delay());
        if (answer.status() > 0) {
            String head = head(answer);
            if (answer.drip().isSlow()) {
                link.drip(head, answer.drip());
            } else {
                link.write(head);
                link.flush();
            }
            endless(link, answer.fault());
            body(link, answer.bodyOctets());
        }
        switch (answer.after()) {
            case STALL -> closed.await();
            case RESET -> link.reset();
            case CONTINUE, CLOSE -> {
                // A connection has one request.
            }
        }
    }

    private static String head(SinkAnswer answer) {
        long length = answer.bodyOctets();
        String status = "HTTP/1.1 " + answer.status() + " \r\n";
        String lines = answer.headers().stream().map(each -> each + "\r\n").reduce("", String::concat);
        String rest = lines + "Connection: close\r\n\r\n";
        return switch (answer.fault()) {
            case NONE -> status + "Content-Length: " + length + "\r\n" + rest;
            case LONG_LENGTH -> status + "Content-Length: " + (length + BLOCK) + "\r\n" + rest;
            case SHORT_LENGTH -> status + "Content-Length: " + length / 2 + "\r\n" + rest;
            case NEGATIVE_LENGTH -> status + "Content-Length: -1\r\n" + rest;
            case TWO_LENGTHS -> status + "Content-Length: " + length + "\r\nContent-Length: 7\r\n" + rest;
            case BAD_CHUNKS -> status + "Transfer-Encoding: chunked\r\n" + rest + "no number\r\n";
            case ENDLESS_HEAD, ENDLESS_LINE -> status + lines;
            case NOT_HTTP -> "SSH-2.0-OpenSSH_9.9\r\n" + rest;
            case INFORMATIONAL -> "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(INFORMATIONAL) + status
                    + "Content-Length: " + length + "\r\n" + rest;
        };
    }

    private void endless(SinkLink link, HttpFault fault) throws IOException {
        String piece = switch (fault) {
            case ENDLESS_HEAD -> "X-More: more\r\n".repeat(BLOCK / 16);
            case ENDLESS_LINE -> "x".repeat(BLOCK);
            default -> "";
        };
        while (!piece.isEmpty()) {
            write(link, piece);
        }
    }

    private void body(SinkLink link, long count) throws IOException {
        String block = "x".repeat(BLOCK);
        for (long left = count; left > 0; left -= BLOCK) {
            write(link, left < BLOCK ? block.substring(0, (int) left) : block);
        }
    }

    private void write(SinkLink link, String piece) throws IOException {
        link.write(piece);
        link.flush();
        octets.addAndGet(piece.length());
    }

    /// Stops listening and closes all connections.
    @Override
    public void close() {
        closed.countDown();
        port.close();
        sockets.forEach(SinkServer::closeQuietly);
    }
}
