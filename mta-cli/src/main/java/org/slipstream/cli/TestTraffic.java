package org.slipstream.cli;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// Test traffic for a server: clients that send mail, and a receiving server that accepts all of
/// it.
///
/// Both speak a minimal SMTP. Clients wait for each reply; half of them send their commands
/// together.
final class TestTraffic implements AutoCloseable {
    private static final int CLIENTS = 20;
    private static final long TIMEOUT_SECONDS = 120;
    private static final long LATE_SECONDS = 10;
    private static final String LINE = "The quick brown fox jumps over the lazy dog, again and again and again.\r\n";

    private final ServerSocket listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private volatile boolean busy;

    TestTraffic() throws IOException {
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /// @return number of delivered messages
    long run(InetSocketAddress server, int messages) throws InterruptedException {
        return run(server, messages, taken);
    }

    /// Sends messages that the receiving server puts off.
    void leaveWaiting(InetSocketAddress server, int messages) throws InterruptedException {
        busy = true;
        run(server, messages, refused);
    }

    /// The receiving server takes messages that it has put off; returns when there is one.
    void awaitWaiting() throws InterruptedException {
        busy = false;
        await(taken, taken.get() + 1, System.nanoTime() + TimeUnit.SECONDS.toNanos(LATE_SECONDS));
    }

    private long run(InetSocketAddress server, int messages, AtomicLong arrived) throws InterruptedException {
        CountDownLatch sending = new CountDownLatch(CLIENTS);
        for (int i = 0; i < CLIENTS; i++) {
            int client = i;
            Thread.ofVirtual().start(() -> {
                try {
                    send(server, messages / CLIENTS, client % 2 == 0);
                } catch (IOException e) {
                    // A failure shows in the count.
                } finally {
                    sending.countDown();
                }
            });
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        sending.await(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        return await(arrived, messages, deadline);
    }

    private static long await(AtomicLong arrived, long messages, long deadline) throws InterruptedException {
        while (arrived.get() < messages && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return arrived.get();
    }

    private static void send(InetSocketAddress server, int messages, boolean together) throws IOException {
        byte[] content = ("Subject: exercise\r\n\r\n" + LINE.repeat(55) + ".\r\n").getBytes(StandardCharsets.US_ASCII);
        try (Socket socket = new Socket(server.getAddress(), server.getPort())) {
            Talk talk = new Talk(socket);
            talk.hear();
            talk.say(List.of("EHLO client.example"), false);
            for (int i = 0; i < messages; i++) {
                talk.say(List.of("MAIL FROM:<a@client.example>", "RCPT TO:<b@far.example>", "DATA"), together);
                talk.write(content);
                talk.hear();
            }
            talk.say(List.of("QUIT"), false);
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException closed) {
            // The traffic has ended.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            Talk talk = new Talk(socket);
            talk.write("220 far.example ESMTP\r\n");
            for (String line = talk.readLine(); line != null; line = talk.readLine()) {
                String verb = line.length() < 4 ? line : line.substring(0, 4).toUpperCase(java.util.Locale.ROOT);
                switch (verb) {
                    case "EHLO" -> talk.write("250-far.example\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SIZE\r\n");
                    case "DATA" -> {
                        talk.write("354 End data with <CR><LF>.<CR><LF>\r\n");
                        talk.skipContent();
                        taken.incrementAndGet();
                        talk.write("250 2.0.0 Ok: queued\r\n");
                    }
                    case "RCPT" -> {
                        refused.addAndGet(busy ? 1 : 0);
                        talk.write(busy ? "451 4.3.2 Busy\r\n" : "250 2.0.0 ok\r\n");
                    }
                    case "QUIT" -> {
                        talk.write("221 bye\r\n");
                        return;
                    }
                    default -> talk.write("250 2.0.0 ok\r\n");
                }
            }
        } catch (IOException gone) {
            // Lost mail shows in the count.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    /// One end of a connection.
    private static final class Talk {
        private final BufferedReader in;
        private final OutputStream out;

        Talk(Socket socket) throws IOException {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
            in = new BufferedReader(new InputStreamReader(new BufferedInputStream(socket.getInputStream()),
                    StandardCharsets.ISO_8859_1));
            out = socket.getOutputStream();
        }

        @Nullable
        String readLine() throws IOException {
            return in.readLine();
        }

        void skipContent() throws IOException {
            for (String line = in.readLine(); !".".equals(line); line = in.readLine()) {
                if (line == null) {
                    throw new IOException("connection lost in the middle of a message");
                }
            }
        }

        void hear() throws IOException {
            String line = in.readLine();
            while (line != null && line.length() > 3 && line.charAt(3) == '-') {
                line = in.readLine();
            }
            if (line == null || line.charAt(0) > '3') {
                throw new IOException("the server replied " + line);
            }
        }

        void say(List<String> lines, boolean together) throws IOException {
            List<List<String>> groups = new ArrayList<>();
            if (together) {
                groups.add(lines);
            } else {
                lines.forEach(line -> groups.add(List.of(line)));
            }
            for (List<String> group : groups) {
                write(String.join("\r\n", group) + "\r\n");
                for (int i = 0; i < group.size(); i++) {
                    hear();
                }
            }
        }

        void write(String text) throws IOException {
            write(text.getBytes(StandardCharsets.US_ASCII));
        }

        void write(byte[] bytes) throws IOException {
            out.write(bytes);
            out.flush();
        }
    }
}
