package org.slipstream.smtpout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slipstream.core.DataSize;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult.Answered;
import org.slipstream.core.queue.DeliveryResult.Unanswered;
import org.slipstream.core.queue.Outcome;
import org.slipstream.smtpout.EventLog.Lost;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// Peers that send any octets in place of replies, in the middle of a run of messages. Every
/// transfer is answered once and the connection ends; each input that found a bug is kept in
/// `src/test/resources/corpus`.
class FuzzTest {
    private static final int MESSAGES = 3;
    private static final long MILLIS = Boolean.getBoolean("slipstream.long") ? 60_000 : 1_000;
    private static final List<String> PIECES = List.of("250 ok\r\n", "250 2.1.0 ok\r\n", "250-a\r\n", "354 go\r\n",
            "550 5.1.1 who\r\n", "450 4.2.2 full\r\n", "421 4.3.2 down\r\n", "503 5.5.1 no\r\n", "500 what\r\n", "\r\n",
            "\n", "2", "25", "250", "-", " ", "\r", "\0", "\u00ff", "xyz", "5.1.1", "600 hm\r\n", "100 hm\r\n");

    static Stream<String> corpus() throws IOException, URISyntaxException {
        try (Stream<Path> files = Files.list(directory())) {
            return files.map(f -> f.getFileName().toString()).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void keptAnswers(String file) throws IOException, URISyntaxException {
        byte[] answers = Files.readAllBytes(directory().resolve(file));
        for (String extensions : List.of("8BITMIME", "PIPELINING", "PIPELINING\r\n250 CHUNKING")) {
            meet(answers, extensions);
        }
    }

    @Test
    void anyAnswers() throws IOException {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS);
        int rounds = 0;
        for (; System.nanoTime() < end; rounds++) {
            byte[] answers = any(random);
            try {
                meet(answers, List.of("8BITMIME", "PIPELINING", "PIPELINING\r\n250 CHUNKING").get(random.nextInt(3)));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ", answers " + HexFormat.of().formatHex(answers), e);
            }
        }
        System.out.println("fuzz: " + rounds + " rounds, seed " + seed);
        assertThat(rounds).isPositive();
    }

    private static byte[] any(SplittableRandom random) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int good = random.nextInt(12);
        for (int i = 0; i < good; i++) {
            bytes.writeBytes(
                    (random.nextInt(5) == 0 ? "354 go\r\n" : "250 ok\r\n").getBytes(StandardCharsets.US_ASCII));
        }
        for (int i = random.nextInt(8); i > 0; i--) {
            bytes.writeBytes(PIECES.get(random.nextInt(PIECES.size())).getBytes(StandardCharsets.ISO_8859_1));
        }
        return bytes.toByteArray();
    }

    private static void meet(byte[] answers, String extensions) throws IOException {
        EventLog events = new EventLog();
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                Carriers carriers = Post.carriers(
                        Post.patient().with(new ClientConfig.Ahead(MESSAGES, 50, DataSize.ofMebibytes(1))),
                        events)) {
            Thread.ofVirtual().start(() -> serve(listener, answers, extensions));
            carriers.open(1, new Route.Smtp("[x]",
                    List.of(new Route.Host("127.0.0.1", listener.getLocalPort(), 0))), false);
            for (int i = 1; i <= MESSAGES; i++) {
                Post.deliver(carriers, 1, Post.transfer(i));
            }
            events.results(MESSAGES);
            if (events.all().stream().noneMatch(FuzzTest::endsIt)) {
                events.next(Lost.class);
            }
        }
        List<Object> news = events.all();
        for (long i = 1; i <= MESSAGES; i++) {
            long delivery = i;
            assertThat(news).filteredOn(n -> n instanceof Answered d && d.delivery() == delivery
                    || n instanceof Unanswered r && r.delivery() == delivery).hasSize(1);
        }
        assertThat(news).noneMatch(n -> n instanceof Answered d
                && d.outcomes().getFirst().outcome() instanceof Outcome.Deferred(var reply, var _)
                && reply.equals(FailureReplies.internal()));
    }

    private static boolean endsIt(Object news) {
        return news instanceof Lost || news instanceof Unanswered || news instanceof Answered done && !done.usable();
    }

    /// No SmtpSink: the answers are raw octets without lines, they leave in one write, only this
    /// half of the connection is closed behind them, and the client may close at any octet.
    private static void serve(ServerSocket listener, byte[] answers, String extensions) {
        try (Socket socket = listener.accept()) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            out.write("220 sink\r\n".getBytes(StandardCharsets.US_ASCII));
            in.read(new byte[1000]);
            String[] lines = extensions.split("\r\n");
            out.write(("250-sink\r\n250" + (lines.length > 1 ? "-" : " ") + extensions + "\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            in.read(new byte[10_000]);
            out.write(answers);
            socket.shutdownOutput();
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException _) {
            // The client has closed the connection.
        }
    }

    private static Path directory() throws URISyntaxException {
        return Path.of(FuzzTest.class.getResource("/corpus").toURI());
    }
}
