package org.slipstream.http;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;

import java.io.BufferedOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/// A client connection of an [HttpListener]. It reads a request, sends an answer, and repeats, on a
/// thread of its own.
///
/// [HttpListener] closes it at its deadline, which ends a read or write that blocks.
final class HttpConnection implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(HttpConnection.class);
    private static final long LAST_INPUT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int BLOCK_BYTES = 16 << 10;
    /// A rest of this length costs less than a new connection.
    private static final int SHORT_REST = 64 << 10;

    private final Socket socket;
    private final HttpListener listener;
    private final Optional<SSLSocketFactory> tls;
    private final Patience patience;
    private volatile boolean waiting = true;
    private volatile long deadlineNanos;
    /// The end of the whole request, for which silence is only a shorter limit.
    private volatile long endNanos = Long.MAX_VALUE;

    /// @param head for the first request, with the handshake of TLS
    /// @param idle for a further one, from the end of the last
    /// @param silence between two octets of a body or an answer
    record Patience(Duration head, Duration idle, Duration silence) {
        static final Patience STANDARD = new Patience(Duration.ofSeconds(10), Duration.ofSeconds(30),
                Duration.ofSeconds(30));
    }

    HttpConnection(Socket socket, HttpListener listener, Optional<SSLSocketFactory> tls, Patience patience) {
        this.socket = socket;
        this.listener = listener;
        this.tls = tls;
        this.patience = patience;
        this.deadlineNanos = System.nanoTime() + patience.head().toNanos();
    }

    /// True while no request is processed.
    boolean isWaiting() {
        return waiting;
    }

    boolean isFrom(InetAddress client) {
        return client.equals(socket.getInetAddress());
    }

    long remainingNanos(long nowNanos) {
        return deadlineNanos - nowNanos;
    }

    void close() {
        try {
            socket.close();
        } catch (IOException failed) {
            log.debug("event=http-close-failed error=\"{}\"", failed.getMessage());
        }
    }

    @Override
    public void run() {
        try (socket; Socket used = secured()) {
            HttpReader reader = new HttpReader(new Moving(used.getInputStream()));
            OutputStream out = new BufferedOutputStream(new MovingOut(used.getOutputStream()), BLOCK_BYTES);
            while (one(used, reader, out)) {
                idle();
            }
        } catch (IOException gone) {
            log.debug("event=http-connection-lost error=\"{}\"", LogText.text(FailureWords.of(gone)));
        } catch (RuntimeException ours) {
            log.warn("event=http-request-failed error=\"{}\"", LogText.text(FailureWords.of(ours)), ours);
        }
    }

    private Socket secured() throws IOException {
        if (tls.isEmpty()) {
            return socket;
        }
        SSLSocket secured = (SSLSocket) tls.get().createSocket(socket, null, socket.getPort(), true);
        secured.setUseClientMode(false);
        secured.startHandshake();
        return secured;
    }

    private void idle() {
        endNanos = Long.MAX_VALUE;
        deadlineNanos = System.nanoTime() + patience.idle().toNanos();
        waiting = true;
    }

    /// @return true when another request may follow
    private boolean one(Socket used, HttpReader reader, OutputStream out) throws IOException {
        HttpRequest request;
        try {
            Optional<HttpRequest> next = reader.next();
            if (next.isEmpty()) {
                return false;
            }
            request = next.get().from(socket.getInetAddress().getHostAddress());
        } catch (HttpReader.MalformedException malformed) {
            send(out, HttpAnswer.text(malformed.status(), malformed.sentence()), true, false);
            return ended(used, reader);
        }
        waiting = false;
        Optional<HttpPage> page = listener.page(request.path());
        begin(page.map(HttpPage::mostTime).orElse(patience.silence()));
        request.values("expect").stream().filter(each -> each.equalsIgnoreCase("100-continue")).findFirst()
                .ifPresent(_ -> request.body().beforeFirst(() -> goOn(out)));
        HttpAnswer answer = page.isPresent()
                ? answer(page.get(), request)
                : HttpAnswer.text(404, "there is no such page");
        boolean known = request.values("expect").isEmpty() || request.body().isBegun();
        boolean more = request.keepAlive() && (request.body().isEnded() || known && drained(request.body()));
        send(out, answer, !request.method().equals("HEAD"), more);
        return more || ended(used, reader);
    }

    private void begin(Duration most) {
        long now = System.nanoTime();
        endNanos = now + most.toNanos();
        deadlineNanos = Math.min(endNanos, now + patience.silence().toNanos());
    }

    /// An octet came or went.
    private void moved() {
        if (!waiting) {
            deadlineNanos = Math.min(endNanos, System.nanoTime() + patience.silence().toNanos());
        }
    }

    private static void goOn(OutputStream out) {
        try {
            out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.flush();
        } catch (IOException gone) {
            log.debug("event=http-connection-lost error=\"{}\"", gone.getMessage());
        }
    }

    private HttpAnswer answer(HttpPage page, HttpRequest request) throws IOException {
        try {
            if (request.body().length().orElse(0) > page.mostOctets()) {
                return HttpAnswer.text(413, "the body is longer than " + page.mostOctets() + " octets");
            }
            request.body().limit(page.mostOctets());
            // The work of the page has the time of the request; its own waiting is no silence of the client.
            deadlineNanos = endNanos;
            return page.answer(request);
        } catch (HttpReader.MalformedException malformed) {
            return HttpAnswer.text(malformed.status(), malformed.sentence());
        } catch (HttpBody.TooLongException tooLong) {
            return HttpAnswer.text(413, FailureWords.of(tooLong));
        } catch (IOException | RuntimeException ours) {
            if (request.body().isFailed()) {
                throw ours;
            }
            log.warn("event=http-request-failed method={} path=\"{}\" client={} error=\"{}\"",
                    LogText.word(request.method()), LogText.text(request.path()), request.client(),
                    LogText.text(FailureWords.of(ours)), ours);
            return HttpAnswer.text(500, "the request failed; the log of the server has the reason");
        }
    }

    private static boolean drained(HttpBody body) {
        try {
            return body.length().orElse(0) <= SHORT_REST && body.drain(SHORT_REST);
        } catch (IOException unreadable) {
            return false;
        }
    }

    private void send(OutputStream out, HttpAnswer answer, boolean withBody, boolean more) throws IOException {
        moved();
        SequencedMap<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", answer.type());
        headers.put("Content-Length", Integer.toString(answer.octets().length));
        headers.put("Cache-Control", "no-store");
        headers.put("X-Content-Type-Options", "nosniff");
        headers.put("Connection", more ? "keep-alive" : "close");
        headers.putAll(answer.headers());
        out.write(HttpHead.octets(answer.status(), headers));
        if (withBody) {
            out.write(answer.octets());
        }
        out.flush();
    }

    /// Closing a socket with unread input resets the connection, and the client may then not receive
    /// the answer.
    private boolean ended(Socket used, HttpReader reader) throws IOException {
        endNanos = System.nanoTime() + LAST_INPUT_NANOS;
        deadlineNanos = endNanos;
        used.shutdownOutput();
        reader.drain();
        return false;
    }

    /// Input that moves the deadline.
    private final class Moving extends FilterInputStream {
        Moving(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] to, int offset, int count) throws IOException {
            moved();
            int read = super.read(to, offset, count);
            if (!waiting) {
                deadlineNanos = endNanos;
            }
            return read;
        }
    }

    /// Output that moves the deadline with each block.
    private final class MovingOut extends OutputStream {
        private final OutputStream out;

        MovingOut(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int octet) throws IOException {
            write(new byte[]{(byte) octet}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int count) throws IOException {
            for (int done = 0; done < count; done += BLOCK_BYTES) {
                moved();
                out.write(from, offset + done, Math.min(BLOCK_BYTES, count - done));
            }
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }
    }
}
