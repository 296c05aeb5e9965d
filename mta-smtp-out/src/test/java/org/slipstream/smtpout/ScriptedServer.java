package org.slipstream.smtpout;

import org.awaitility.Awaitility;
import org.slipstream.core.Route;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/// A mail server that does what a script says, one script per connection, in order; the last one is repeated.
///
/// | Line | Meaning |
/// |---|---|
/// | `S text` | send this line; neighbours go out in one write |
/// | `C text` | wait for this line, `*` stands for anything |
/// | `DATA` | read content until the final dot |
/// | `CHUNK`, `CHUNK LAST` | wait for BDAT, with LAST or without, and read its content |
/// | `TORN` | read content that breaks off: fail when it has a final dot |
/// | `BYTES n` | read so many bytes of content |
/// | `TLS` | shake hands for TLS |
/// | `NOTLS` | shake hands for TLS with a client that will have none of it |
/// | `RAW text` | send this without a line end |
/// | `GATE` | wait until the test calls [#openGate] |
/// | `STALL` | read nothing and say nothing until the test is over |
/// | `EOF` | wait until the client closes |
/// | `DROP` | close |
/// | `CUT` | close with a reset |
///
/// It runs on platform threads, so that it cannot get into the way of the carriers that are tested.
///
/// A line that does not match ends the connection and fails the test in [#close].
final class ScriptedServer implements AutoCloseable {
    /// Greets and announces PIPELINING.
    static final String HELLO = """
            S 220 sink
            C EHLO me.example
            S 250-sink
            S 250 PIPELINING
            """;
    static final String PLAIN_HELLO = """
            S 220 sink
            C EHLO me.example
            S 250 sink
            """;
    static final String BYE = """
            C QUIT
            S 221 bye
            EOF
            """;

    /// Takes a message from anybody for one recipient.
    static final String TAKE = """
            C MAIL FROM:<*>*
            C RCPT TO:<*>
            C DATA
            S 250 2.1.0 sender ok
            S 250 2.1.5 recipient ok
            S 354 go
            DATA
            S 250 2.0.0 taken
            """;

    private final Closeable listener;
    private final int port;
    private final Path path;
    private final Deque<String> scripts;
    private final SSLSocketFactory tls;
    private final List<String> commands = Collections.synchronizedList(new ArrayList<>());
    private final List<byte[]> contents = Collections.synchronizedList(new ArrayList<>());
    private final List<String> clients = Collections.synchronizedList(new ArrayList<>());
    private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    private final List<Closeable> open = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch over = new CountDownLatch(1);
    private final CountDownLatch gate = new CountDownLatch(1);
    private volatile int connections;
    private final AtomicInteger playing = new AtomicInteger();

    private ScriptedServer(Closeable listener, int port, Path path, SSLSocketFactory tls, String... scripts) {
        this.listener = listener;
        this.port = port;
        this.path = path;
        this.tls = tls;
        this.scripts = new ArrayDeque<>(List.of(scripts));
    }

    static ScriptedServer of(String... scripts) {
        return withTls((SSLSocketFactory) SSLSocketFactory.getDefault(), scripts);
    }

    /// On every address of this machine.
    static ScriptedServer everywhere(String... scripts) {
        return listening(new InetSocketAddress(0).getAddress(), (SSLSocketFactory) SSLSocketFactory.getDefault(),
                scripts);
    }

    static ScriptedServer withTls(SSLSocketFactory tls, String... scripts) {
        return listening(InetAddress.getLoopbackAddress(), tls, scripts);
    }

    private static ScriptedServer listening(InetAddress address, SSLSocketFactory tls, String... scripts) {
        try {
            ServerSocket listener = new ServerSocket(0, 50, address);
            ScriptedServer server = new ScriptedServer(listener, listener.getLocalPort(), Path.of("none"), tls,
                    scripts);
            server.accept(() -> {
                Socket socket = listener.accept();
                server.clients.add(socket.getInetAddress().getHostAddress());
                server.serve(socket, socket.getInputStream(), socket.getOutputStream());
            });
            return server;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static ScriptedServer unix(Path path, String... scripts) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(path));
        ScriptedServer server = new ScriptedServer(listener, 0, path, null, scripts);
        server.accept(() -> {
            SocketChannel channel = listener.accept();
            server.serve(channel, Channels.newInputStream(channel), Channels.newOutputStream(channel));
        });
        return server;
    }

    int port() {
        return port;
    }

    Route route() {
        return new Route.Smtp("[127.0.0.1]:" + port, List.of(host(0)));
    }

    Route.Host host(int preference) {
        return new Route.Host("127.0.0.1", port, preference);
    }

    Path path() {
        return path;
    }

    /// All command lines so far, of all connections.
    List<String> commands() {
        return List.copyOf(commands);
    }

    /// Contents with the dots still stuffed and without the final one.
    List<String> contents() {
        return contents.stream().map(c -> new String(c, StandardCharsets.ISO_8859_1)).toList();
    }

    /// The addresses that connections came from.
    List<String> clients() {
        return List.copyOf(clients);
    }

    int connections() {
        return connections;
    }

    /// Waits until every script that was begun has come to its end.
    void awaitEnd() {
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> playing.get() == 0);
    }

    void openGate() {
        gate.countDown();
    }

    @Override
    public void close() {
        over.countDown();
        gate.countDown();
        closeQuietly(listener);
        open.forEach(ScriptedServer::closeQuietly);
        if (!failures.isEmpty()) {
            throw new AssertionError("the client left the script after " + commands, failures.getFirst());
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private void accept(Step once) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                while (true) {
                    once.run();
                }
            } catch (IOException _) {
                // The test is over.
            }
        });
    }

    private void serve(Closeable socket, InputStream in, OutputStream out) {
        open.add(socket);
        connections++;
        playing.incrementAndGet();
        String script = scripts.size() > 1 ? scripts.poll() : scripts.peek();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                new Play(socket, in, out).run(script);
            } catch (AssertionError e) {
                failures.add(e);
            } catch (IOException | InterruptedException e) {
                if (over.getCount() > 0) {
                    failures.add(e);
                }
            } finally {
                closeQuietly(socket);
                playing.decrementAndGet();
            }
        });
    }

    private static void closeQuietly(Closeable what) {
        try {
            what.close();
        } catch (IOException _) {
            // Closed is closed.
        }
    }

    private final class Play {
        private final Closeable socket;
        private InputStream in;
        private OutputStream out;
        private final StringBuilder sending = new StringBuilder();

        Play(Closeable socket, InputStream in, OutputStream out) {
            this.socket = socket;
            this.in = in;
            this.out = out;
        }

        void run(String script) throws IOException, InterruptedException {
            for (String line : script.lines().filter(l -> !l.isBlank()).toList()) {
                int blank = line.indexOf(' ');
                String verb = blank < 0 ? line : line.substring(0, blank);
                String rest = blank < 0 ? "" : line.substring(blank + 1);
                if (verb.equals("S")) {
                    sending.append(rest).append("\r\n");
                    continue;
                }
                flush();
                switch (verb) {
                    case "C" -> expect(rest);
                    case "DATA" -> contents.add(content());
                    case "CHUNK" -> contents.add(chunk(rest));
                    case "TORN" -> expectTorn();
                    case "BYTES" -> in.readNBytes(Integer.parseInt(rest));
                    case "TLS" -> shakeHands();
                    case "NOTLS" -> shakeHandsInVain();
                    case "RAW" -> sending.append(rest);
                    case "GATE" -> gate.await();
                    case "STALL" -> over.await();
                    case "EOF" -> expectEnd();
                    case "DROP" -> {
                        return;
                    }
                    case "CUT" -> {
                        ((Socket) socket).setSoLinger(true, 0);
                        return;
                    }
                    default -> throw new AssertionError("what is " + line);
                }
            }
            flush();
        }

        private void flush() throws IOException {
            out.write(sending.toString().getBytes(StandardCharsets.UTF_8));
            out.flush();
            sending.setLength(0);
        }

        private void expect(String pattern) throws IOException {
            String line = line();
            commands.add(line);
            String regex = Pattern.quote(pattern).replace("*", "\\E.*\\Q");
            if (!line.matches(regex)) {
                throw new AssertionError("expected <" + pattern + "> but got <" + line + ">");
            }
        }

        private String line() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            while (true) {
                int next = in.read();
                if (next < 0) {
                    throw new EOFException("client closed, script waits for a line");
                }
                if (next == '\n') {
                    String text = line.toString(StandardCharsets.UTF_8);
                    if (!text.endsWith("\r")) {
                        throw new AssertionError("bare LF after <" + text + ">");
                    }
                    return text.substring(0, text.length() - 1);
                }
                line.write(next);
            }
        }

        private byte[] content() throws IOException {
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            byte[] end = "\r\n.\r\n".getBytes(StandardCharsets.US_ASCII);
            int matched = 2; // The line of DATA has just ended.
            while (true) {
                int next = in.read();
                if (next < 0) {
                    throw new EOFException("client closed in the content");
                }
                content.write(next);
                matched = next == end[matched] ? matched + 1 : next == '\r' ? 1 : 0;
                if (matched == end.length) {
                    byte[] all = content.toByteArray();
                    return java.util.Arrays.copyOf(all, all.length - 3);
                }
            }
        }

        private byte[] chunk(String last) throws IOException {
            String line = line();
            commands.add(line);
            if (!line.matches("BDAT [0-9]+" + (last.isEmpty() ? "" : " " + last))) {
                throw new AssertionError("expected <BDAT n " + last + "> but got <" + line + ">");
            }
            return in.readNBytes(Integer.parseInt(line.split(" ")[1]));
        }

        private void expectTorn() throws IOException {
            String all = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            if (all.isEmpty() || all.contains("\r\n.\r\n")) {
                throw new AssertionError("expected content without an end but got " + all.length() + " bytes");
            }
        }

        private void shakeHands() throws IOException {
            SSLSocket encrypted = (SSLSocket) tls.createSocket((Socket) socket, "client", 0, false);
            encrypted.setUseClientMode(false);
            encrypted.startHandshake();
            in = encrypted.getInputStream();
            out = encrypted.getOutputStream();
        }

        private void shakeHandsInVain() {
            try {
                shakeHands();
                // TLS 1.3: our half is done before the client has looked at the certificate.
                if (in.read() >= 0) {
                    throw new AssertionError("the client goes on under TLS");
                }
            } catch (IOException _) {
                // As it should be.
            }
        }

        private void expectEnd() throws IOException {
            int next = in.read();
            if (next >= 0) {
                throw new AssertionError("expected the end but got " + (char) next);
            }
        }
    }
}
