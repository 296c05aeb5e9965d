package org.slipstream.http;

import org.slipstream.core.FailureWords;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/// Sends a body to a web server by POST, and reads the status of its answer. Each exchange costs a bounded amount,
/// whatever the server does.
///
/// **The address is found once** and is the one that the connection is made to, so DNS cannot name a permitted address
/// for the check and another one for the connection. A client of the Java runtime would look the name up again by
/// itself. The certificate must be valid for the name. A redirection is an answer like any other: its target was
/// neither checked nor chosen by the operator.
///
/// **One limit in time** holds for the look-up, connecting, sending and the answer together: a server that takes or
/// sends one octet a second keeps every limit of a single read. Of the answer the head is read, [#MOST_HEAD] octets at
/// most. No length that it names is believed, because its body is of no interest.
///
/// The exchange runs on a thread of its own, since the look-up of a name cannot be interrupted; [#MOST_AT_ONCE] run at
/// the same time.
public final class HttpPost {
    public static final int MOST_HEAD = 64 << 10;
    static final int MOST_AT_ONCE = 64;
    private static final int LONGEST_LINE = 8 << 10;
    /// Informational answers before the one that counts (RFC 9110 section 15.2).
    private static final int MOST_INFORMATIONAL = 8;
    private static final int HTTP = 80;
    private static final int HTTPS = 443;
    private static final int GRACE_MILLIS = 250;
    private static final int GRACE_READS = 8;
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([1-9][0-9]{2})(?: .*)?");
    private static final Pattern SECONDS = Pattern.compile("(?i)retry-after:[ \t]*([0-9]{1,9})[ \t]*");
    private static final Pattern HEADER_NAME = Pattern.compile("[A-Za-z0-9-]{1,100}");
    private static final Pattern HEADER_VALUE = Pattern.compile("[\\x20-\\x7e]{0,4000}");
    private static final Semaphore FREE = new Semaphore(MOST_AT_ONCE);

    private final HostAddresses addresses;
    private final Supplier<SSLSocketFactory> sockets;
    private final Duration timeout;

    /// Finds the addresses of a host, of which the first is connected to.
    @FunctionalInterface
    public interface HostAddresses {
        /// @param host a name, or an address without brackets
        /// @return at least one
        /// @throws IOException with the sentence when there is none, or none that is permitted
        List<InetAddress> of(String host) throws IOException;
    }

    /// The answer of a web server.
    ///
    /// @param retryAfter in seconds, when the server names it so; a date is not read
    public record PostAnswer(int status, Optional<Duration> retryAfter) {
        private static final int SUCCESS = 2;
        private static final int CLASS = 100;

        public boolean isTaken() {
            return status / CLASS == SUCCESS;
        }

        /// @throws IOException unless the server took the body
        public void requireTaken() throws IOException {
            if (!isTaken()) {
                throw new IOException("it answered with " + status);
            }
        }
    }

    public HttpPost(HostAddresses addresses, Duration timeout) {
        this(addresses, () -> (SSLSocketFactory) SSLSocketFactory.getDefault(), timeout);
    }

    /// @param sockets with the authorities that are trusted
    public HttpPost(HostAddresses addresses, Supplier<SSLSocketFactory> sockets, Duration timeout) {
        this.addresses = addresses;
        this.sockets = sockets;
        this.timeout = timeout;
    }

    /// The addresses that the system knows, `/etc/hosts` included.
    public static HostAddresses ofSystem(Predicate<InetAddress> permitted) {
        return host -> {
            List<InetAddress> found = List.of(InetAddress.getAllByName(host));
            List<InetAddress> good = found.stream().filter(permitted).toList();
            if (good.isEmpty()) {
                throw new IOException("its address " + found.getFirst().getHostAddress() + " is not a public one");
            }
            return good;
        };
    }

    /// The reason why a page cannot be posted to; empty for a good one.
    public static Optional<String> refusal(URI page) {
        if (page.getHost() == null || !List.of("http", "https").contains(page.getScheme())) {
            return Optional.of("is not an address such as https://host.example/path");
        }
        if (page.getRawUserInfo() != null) {
            return Optional.of("names a user, which would be sent in clear text to any server of this name");
        }
        return page.getRawFragment() == null ? Optional.empty() : Optional.of("has a fragment, which is never sent");
    }

    /// Sends a body. An interrupt ends it.
    ///
    /// @param headers beside Host, Content-Length and Connection
    /// @throws IOException with the reason why there is no answer
    public PostAnswer send(URI page, Map<String, String> headers, byte[] body) throws IOException {
        Optional<String> refusal = refusal(page);
        if (refusal.isPresent()) {
            throw new IOException(page + " " + refusal.get());
        }
        byte[] head = head(page, headers, body.length);
        if (!FREE.tryAcquire()) {
            throw new IOException("too many requests to web servers are under way");
        }
        Socket socket = new Socket();
        CompletableFuture<PostAnswer> answer = new CompletableFuture<>();
        try {
            Thread.ofPlatform().daemon().name("http-post").start(() -> {
                try (socket) {
                    exchange(page, socket, head, body, answer);
                } catch (IOException | RuntimeException failed) {
                    answer.completeExceptionally(failed);
                } finally {
                    FREE.release();
                }
            });
        } catch (OutOfMemoryError noThread) {
            FREE.release();
            throw new IOException("no thread for a request to a web server", noThread);
        }
        return inTime(answer, socket);
    }

    private PostAnswer inTime(CompletableFuture<PostAnswer> answer, Socket socket) throws IOException {
        try {
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            socket.close();
            throw new IOException("no answer within " + timeout.toSeconds() + " s", late);
        } catch (InterruptedException stop) {
            socket.close();
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } catch (ExecutionException failed) {
            Throwable cause = Objects.requireNonNullElse(failed.getCause(), failed);
            throw cause instanceof IOException reason ? reason : new IOException(FailureWords.of(cause), cause);
        }
    }

    private void exchange(URI page, Socket plain, byte[] head, byte[] body, CompletableFuture<PostAnswer> answer)
            throws IOException {
        boolean secure = page.getScheme().equals("https");
        String host = host(page);
        int port = page.getPort() >= 0 ? page.getPort() : secure ? HTTPS : HTTP;
        plain.connect(new InetSocketAddress(addresses.of(host).getFirst(), port), Math.toIntExact(timeout.toMillis()));
        plain.setTcpNoDelay(true);
        try (Socket open = secure ? secured(plain, host, port) : plain) {
            OutputStream out = open.getOutputStream();
            out.write(head);
            out.write(body);
            out.flush();
            answer.complete(answer(open.getInputStream()));
            leave(plain, open.getInputStream());
        }
    }

    /// Without the brackets of IPv6.
    private static String host(URI page) {
        String host = page.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private Socket secured(Socket plain, String host, int port) throws IOException {
        SSLSocket secured = (SSLSocket) sockets.get().createSocket(plain, host, port, true);
        SSLParameters checked = secured.getSSLParameters();
        checked.setEndpointIdentificationAlgorithm("HTTPS");
        secured.setSSLParameters(checked);
        return secured;
    }

    private static byte[] head(URI page, Map<String, String> headers, int length) {
        // Letters beyond ASCII become escapes.
        URI ascii = URI.create(page.toASCIIString());
        String path = ascii.getRawPath().isEmpty() ? "/" : ascii.getRawPath();
        StringBuilder head = new StringBuilder("POST ").append(path)
                .append(ascii.getRawQuery() == null ? "" : "?" + ascii.getRawQuery()).append(" HTTP/1.1\r\nHost: ")
                .append(ascii.getRawAuthority()).append("\r\nContent-Length: ").append(length)
                .append("\r\nConnection: close\r\n");
        headers.forEach((name, value) -> {
            if (!HEADER_NAME.matcher(name).matches() || !HEADER_VALUE.matcher(value).matches()) {
                throw new IllegalArgumentException("not a header field: " + name);
            }
            head.append(name).append(": ").append(value).append("\r\n");
        });
        return head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static PostAnswer answer(InputStream in) throws IOException {
        HeadLines lines = new HeadLines(in);
        for (int before = 0; before <= MOST_INFORMATIONAL; before++) {
            Matcher status = STATUS.matcher(lines.next());
            if (!status.matches()) {
                throw new IOException("the answer is not HTTP");
            }
            Optional<Duration> later = Optional.empty();
            for (String line = lines.next(); !line.isEmpty(); line = lines.next()) {
                Matcher seconds = SECONDS.matcher(line);
                if (seconds.matches()) {
                    later = Optional.of(Duration.ofSeconds(Long.parseLong(seconds.group(1))));
                }
            }
            if (!status.group(1).startsWith("1")) {
                return new PostAnswer(Integer.parseInt(status.group(1)), later);
            }
        }
        throw new IOException("the answer never comes to its status");
    }

    /// Reads the rest of an answer for two seconds at most, while the caller goes on. Closing while a short
    /// body is on its way would show up as an error in the log of the server.
    private static void leave(Socket plain, InputStream in) {
        try {
            plain.setSoTimeout(GRACE_MILLIS);
            byte[] rest = new byte[LONGEST_LINE];
            for (int reads = 0; reads < GRACE_READS && in.read(rest) >= 0; reads++) {
                // The body is of no interest.
            }
        } catch (IOException closed) {
            // The status is known.
        }
    }

    /// The lines of the head of an answer, within a number of octets.
    private static final class HeadLines {
        private final InputStream in;
        private final byte[] block = new byte[LONGEST_LINE];
        private int at;
        private int filled;
        private int octets;

        HeadLines(InputStream in) {
            this.in = in;
        }

        String next() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int octet = read(); octet != '\n'; octet = read()) {
                if (line.length() >= LONGEST_LINE) {
                    throw new IOException("the answer has a line without an end");
                }
                line.append((char) octet);
            }
            return line.toString().stripTrailing();
        }

        private int read() throws IOException {
            if (at == filled) {
                filled = in.read(block);
                at = 0;
                if (filled < 0) {
                    throw new IOException("the server closed the connection before its answer");
                }
            }
            if (++octets > MOST_HEAD) {
                throw new IOException("the head of the answer has no end");
            }
            return block[at++] & 0xff;
        }
    }
}
