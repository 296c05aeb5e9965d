package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;
import org.slipstream.smtpin.command.Command;
import org.slipstream.smtpin.command.CommandParser;
import org.slipstream.testkit.Dialogue;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.random.RandomGenerator;

import static org.assertj.core.api.Assertions.assertThat;

/// Random sessions and lines, for a bounded time in every build. The dialogues are the corpus; each
/// input that found a bug is kept as a file of `corpus/` and played in every later run.
///
/// The rule for sessions is that the network has no influence: for any division of a stream into
/// pieces, the replies and the accepted mail are the same. A failure prints its seed and the
/// stream.
class FuzzTest {
    private static final long BUDGET_NANOS = TimeUnit.MILLISECONDS.toNanos(
            Boolean.getBoolean("slipstream.long") ? 60_000 : 1_000);
    private static final BufferPool BLOCKS = new BufferPool(2);
    private static final String[] WORDS = {"\r\n", "\r", "\n", "\r\n.\r\n", ".", "\0", "\u00ff", "RSET\r\n", "DATA\r\n",
            "BDAT 5\r\n", "BDAT 3 LAST\r\n", "BDAT 0 LAST\r\n", "MAIL FROM:<a@x.example>\r\n",
            "RCPT TO:<b@y.example>\r\n",
            "QUIT\r\n", "EHLO x\r\n", "AUTH PLAIN\r\n", "*\r\n", "<", ">", "@", "Received: x\r\n", "From: a\r\n"};

    private record Seen(String heard, List<String> mail, int openDrafts) {}

    @Test
    void theNetworkHasNoSay() {
        long seed = System.nanoTime();
        RandomGenerator random = new java.util.Random(seed);
        List<Dialogue> dialogues = new ArrayList<>(Dialogue.all("dialogues"));
        dialogues.addAll(Dialogue.all("corpus"));
        dialogues.removeIf(FuzzTest::usesTls);
        for (Dialogue dialogue : dialogues) {
            check(dialogue, dialogue.octets(), random, seed);
        }
        long end = System.nanoTime() + BUDGET_NANOS;
        while (System.nanoTime() < end) {
            Dialogue dialogue = dialogues.get(random.nextInt(dialogues.size()));
            byte[] stream = dialogue.octets();
            if (stream.length < 4_000) {
                check(dialogue, mutated(stream, random), random, seed);
            }
        }
    }

    private static boolean usesTls(Dialogue dialogue) {
        return dialogue.settings().contains("tls=1")
                || dialogue.lines().stream().anyMatch(line -> line.kind().equals("t"));
    }

    private static void check(Dialogue dialogue, byte[] stream, RandomGenerator random, long seed) {
        Seen whole = play(dialogue, stream, _ -> Integer.MAX_VALUE);
        assertThat(whole.openDrafts()).as("drafts left open, seed %d", seed).isZero();
        Seen cut = play(dialogue, stream, _ -> 1 + random.nextInt(random.nextInt(2) == 0 ? 3 : 200));
        assertThat(cut).as(() -> "seed " + seed + " " + dialogue.name() + ": " + escaped(stream)).isEqualTo(whole);
        if (stream.length < 2_000) {
            assertThat(play(dialogue, stream, _ -> 1)).as(() -> dialogue.name() + " by bytes: " + escaped(stream))
                    .isEqualTo(whole);
        }
    }

    private static Seen play(Dialogue dialogue, byte[] stream, IntUnaryOperator pieces) {
        Stage stage = new Stage(dialogue.settings());
        // Whether a client is ahead of us is the network's say by nature.
        ListenerConfig config = Ports.with(Ports.with(stage.config(), "strictTurns", 0), "idle", 60_000);
        MemoryLink link = new MemoryLink(stream, pieces);
        ListenerServices services = stage.services();
        Tuning tuning = Ports.tuning(Duration.ofSeconds(60));
        new SmtpSession(1, InetAddress.getLoopbackAddress(),
                new SmtpStream(link, BLOCKS, System::nanoTime, Long.MAX_VALUE),
                services, config, tuning,
                new ConnectionAdmission(config, services.guesses()).enter(InetAddress.getLoopbackAddress())
                        .orElseThrow(),
                () -> false).run();
        List<String> mail = stage.messages.accepted.stream()
                .map(one -> describe(one.envelope()) + one.extras() + one.asSent()).toList();
        // Ids and nonces are new each time.
        String heard = new String(link.heard(), StandardCharsets.ISO_8859_1).replaceAll("queued as \\S+", "queued")
                .replaceAll("334 \\S{60,}", "334 challenge");
        return new Seen(heard, mail, stage.messages.openDrafts.get());
    }

    private static String describe(Envelope envelope) {
        return envelope.sender() + " " + envelope.body()
                + envelope.recipients().stream().map(Recipient::address).toList();
    }

    private static byte[] mutated(byte[] stream, RandomGenerator random) {
        StringBuilder text = new StringBuilder(new String(stream, StandardCharsets.ISO_8859_1));
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            int at = random.nextInt(text.length() + 1);
            int to = Math.min(text.length(), at + random.nextInt(12));
            switch (random.nextInt(4)) {
                case 0 -> text.delete(at, to);
                case 1 -> text.insert(at, text.substring(at, to));
                case 2 -> text.insert(at, (char) random.nextInt(256));
                default -> text.insert(at, WORDS[random.nextInt(WORDS.length)]);
            }
        }
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /// Any division of a message into chunks gives the same message.
    @Test
    void chunksOfAnySizeMakeTheSameMessage() {
        long seed = System.nanoTime();
        RandomGenerator random = new java.util.Random(seed);
        Dialogue full = new Dialogue("chunks", List.of(new Dialogue.Line("set", "service=full")));
        for (int round = 0; round < 300; round++) {
            String message = message(random);
            ByteArrayOutputStream stream = new ByteArrayOutputStream();
            write(stream, "EHLO x\r\nMAIL FROM:<a@x.example>\r\nRCPT TO:<b@y.example>\r\n");
            int at = 0;
            boolean last = false;
            while (!last) {
                int end = Math.min(message.length(), at + random.nextInt(1 + random.nextInt(400)));
                last = end == message.length() && random.nextBoolean();
                write(stream, "BDAT " + (end - at) + (last ? " LAST" : "") + "\r\n" + message.substring(at, end));
                at = end;
            }
            Seen seen = play(full, stream.toByteArray(), _ -> 1 + random.nextInt(100));
            assertThat(seen.mail()).as("seed %d round %d", seed, round).hasSize(1);
            assertThat(seen.mail().getFirst()).as("seed %d round %d", seed, round).endsWith(message);
        }
    }

    private static String message(RandomGenerator random) {
        StringBuilder message = new StringBuilder("Subject: x\r\n\r\n");
        for (int line = random.nextInt(30); line > 0; line--) {
            message.append(".aRSET ".repeat(5), 0, random.nextInt(30)).append("\r\n");
        }
        return message.toString();
    }

    @Test
    void anyLineIsACommandOrNot() {
        long seed = System.nanoTime();
        RandomGenerator random = new java.util.Random(seed);
        List<String> lines = Dialogue.all("dialogues").stream()
                .flatMap(dialogue -> new String(dialogue.octets(), StandardCharsets.ISO_8859_1).lines())
                .filter(line -> line.length() < 300).distinct().toList();
        CommandParser parser = new CommandParser("mx.test");
        long end = System.nanoTime() + BUDGET_NANOS / 2;
        while (System.nanoTime() < end) {
            String line = new String(mutated(lines.get(random.nextInt(lines.size()))
                    .getBytes(StandardCharsets.ISO_8859_1), random), StandardCharsets.ISO_8859_1);
            Command command = parser.parse(line);
            if (command instanceof Command.Rcpt rcpt) {
                // A parsed command, written again, is parsed as the same.
                String again = new String(("RCPT TO:<" + rcpt.recipient() + ">").getBytes(StandardCharsets.UTF_8),
                        StandardCharsets.ISO_8859_1);
                assertThat(parser.parse(again)).as("seed %d: %s", seed, line)
                        .isInstanceOfSatisfying(Command.Rcpt.class,
                                same -> assertThat(same.recipient()).isEqualTo(rcpt.recipient()));
                assertThat(again).as("seed %d: %s", seed, line).doesNotContainPattern("[\\r\\n\\x00]");
            }
        }
    }

    private static void write(ByteArrayOutputStream stream, String text) {
        stream.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String escaped(byte[] stream) {
        StringBuilder text = new StringBuilder();
        for (byte b : stream) {
            text.append(b == '\r'
                    ? "\\r"
                    : b == '\n'
                            ? "\\n"
                            : b == '\\'
                                    ? "\\\\"
                                    : b < ' ' || b == 127
                                            ? String.format("\\x%02x", b & 255)
                                            : String.valueOf((char) b));
        }
        return text.toString();
    }
}
