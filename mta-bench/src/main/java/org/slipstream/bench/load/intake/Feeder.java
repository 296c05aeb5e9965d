package org.slipstream.bench.load.intake;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Clients that each keep one connection and send messages of 4 KiB over it, as fast as they are
/// taken.
public final class Feeder {
    private static final int TIMEOUT_MILLIS = 60_000;

    private final InetSocketAddress server;

    public Feeder(InetSocketAddress server) {
        this.server = server;
    }

    /// One connection.
    static final class FeederLine implements AutoCloseable {
        private final Socket socket;
        private final InputStream in;

        FeederLine(InetSocketAddress server) throws IOException {
            socket = new Socket();
            socket.connect(server, TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.setTcpNoDelay(true);
            in = new BufferedInputStream(socket.getInputStream(), 8192);
            hear(1);
            say("EHLO client.example\r\n");
            hear(1);
        }

        void say(String octets) throws IOException {
            socket.getOutputStream().write(octets.getBytes(StandardCharsets.ISO_8859_1));
        }

        /// Reads this number of replies, none of which may be a refusal.
        void hear(int replies) throws IOException {
            for (int left = replies; left > 0;) {
                StringBuilder line = new StringBuilder();
                for (int octet = in.read(); octet != '\n'; octet = in.read()) {
                    if (octet < 0) {
                        throw new IOException("the server hung up after: " + line);
                    }
                    line.append((char) octet);
                }
                if (line.charAt(0) != '2' && line.charAt(0) != '3') {
                    throw new IOException("refused: " + line);
                }
                left -= line.charAt(3) == ' ' ? 1 : 0;
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /// @return seconds from the first MAIL to the last 250
    double feed(IntakeMode mode, int sessions, int messages) throws IOException, InterruptedException {
        List<FeederLine> lines = connect(sessions);
        long start = System.nanoTime();
        feed(lines, line -> {
            mode.send(line, messages / sessions);
            return messages / sessions;
        });
        return (System.nanoTime() - start) / 1e9;
    }

    /// Feeds for a time. @return the number of messages that were accepted
    public long feedFor(IntakeMode mode, int sessions, double seconds) throws IOException, InterruptedException {
        List<FeederLine> lines = connect(sessions);
        long until = System.nanoTime() + (long) (seconds * 1e9);
        return feed(lines, line -> {
            long count = 0;
            for (; System.nanoTime() < until; count++) {
                mode.send(line, 1);
            }
            return count;
        });
    }

    private interface Client {
        long run(FeederLine line) throws IOException;
    }

    private List<FeederLine> connect(int sessions) throws IOException {
        List<FeederLine> lines = new ArrayList<>();
        for (int i = 0; i < sessions; i++) {
            lines.add(new FeederLine(server));
        }
        return lines;
    }

    private static long feed(List<FeederLine> lines, Client client) throws IOException, InterruptedException {
        try (ExecutorService clients = Executors.newFixedThreadPool(lines.size())) {
            List<Future<Long>> all = new ArrayList<>();
            for (FeederLine line : lines) {
                all.add(clients.submit(() -> client.run(line)));
            }
            long sum = 0;
            for (Future<Long> one : all) {
                sum += one.get();
            }
            return sum;
        } catch (ExecutionException refused) {
            throw new IOException(refused.getCause());
        } finally {
            for (FeederLine line : lines) {
                line.close();
            }
        }
    }
}
