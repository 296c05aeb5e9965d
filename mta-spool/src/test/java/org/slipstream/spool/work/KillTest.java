package org.slipstream.spool.work;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.DataSize;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.tools.Spools;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import static org.assertj.core.api.Assertions.assertThat;

/// Promise 1: kill the process at any moment, and every acknowledged message is found again,
/// exactly once.
class KillTest {
    private static final int ROUNDS = Boolean.getBoolean("slipstream.long") ? 20 : 2;

    @TempDir
    Path directory;
    private final Map<QueueId, Long> acknowledged = new HashMap<>();
    private final Set<QueueId> removed = new HashSet<>();
    private final Set<QueueId> removing = new HashSet<>();

    @Test
    void nothingAcknowledgedIsLostAndNothingRemovedComesBack() throws Exception {
        long seed = System.nanoTime();
        System.out.println("KillTest seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            runAndKill(random.nextLong(), 20 + random.nextInt(600));
            verify(seed);
        }
        assertThat(acknowledged).hasSizeGreaterThan(ROUNDS * 5);
    }

    private void runAndKill(long seed, int killAfterLines) throws IOException, InterruptedException {
        Process child = ChildJvm.start(Load.class, directory.toString(), Long.toString(seed));
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(child.getInputStream(), StandardCharsets.US_ASCII))) {
            int count = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                record(line);
                if (++count == killAfterLines) {
                    // By its handle: Process.destroyForcibly would also close the stream with its
                    // last output.
                    child.toHandle().destroyForcibly();
                }
            }
            assertThat(count).as("lines of the child, seed %d", seed).isGreaterThanOrEqualTo(killAfterLines);
        } finally {
            child.destroyForcibly();
        }
        assertThat(child.waitFor()).isNotZero();
    }

    private void record(String line) {
        String[] words = line.split(" ");
        // The kill may cut the last line; a message that was not printed was not acknowledged.
        if (words.length < 3 || !words[words.length - 1].equals(".")) {
            return;
        }
        QueueId id = QueueId.parse(words[1]).orElseThrow();
        switch (words[0]) {
            case "stored" -> assertThat(acknowledged.put(id, Long.parseLong(words[2]))).isNull();
            case "removing" -> removing.add(id);
            case "removed" -> removed.add(id);
            default -> throw new AssertionError(line);
        }
    }

    private void verify(long seed) throws Exception {
        try (Spool spool = Spools.open(SpoolConfig.at(directory), System::currentTimeMillis)) {
            Set<QueueId> queued = new HashSet<>();
            Optional<QueueId> after = Optional.empty();
            List<MessageDetails> page = spool.list(after, 500);
            while (!page.isEmpty()) {
                for (MessageDetails each : page) {
                    assertThat(queued.add(each.summary().id())).as("once, seed %d", seed).isTrue();
                }
                after = Optional.of(page.getLast().summary().id());
                page = spool.list(after, 500);
            }
            for (Map.Entry<QueueId, Long> each : acknowledged.entrySet()) {
                QueueId id = each.getKey();
                if (queued.contains(id)) {
                    assertThat(removed).as("seed %d", seed).doesNotContain(id);
                    assertThat(TestMessages.read(spool, id)).as("seed %d", seed)
                            .isEqualTo(TestMessages.body(size(each.getValue()), each.getValue()));
                    assertThat(spool.envelope(id)).as("seed %d", seed).contains(envelope(each.getValue()));
                } else {
                    assertThat(removing).as("lost %s, seed %d", id, seed).contains(id);
                }
            }
            assertThat(spool.counts().corrupt()).as("seed %d", seed).isZero();
        }
    }

    static int size(long seed) {
        return seed % 16 == 0 ? 150_000 + (int) (seed % 1000) : 10 + (int) (seed % 6000);
    }

    static Envelope envelope(long seed) {
        return TestMessages.envelope("user" + seed + "@example.net", "other" + seed + "@example.com");
    }

    /// The child: commits under load, prints what was acknowledged, removes some of it, until it is
    /// killed.
    static final class Load {
        private Load() {}

        public static void main(String[] arguments) throws Exception {
            Random seeds = new Random(Long.parseLong(arguments[1]));
            PrintStream out = new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), true,
                    StandardCharsets.US_ASCII);
            SpoolConfig config = new SpoolConfig(Path.of(arguments[0]), DataSize.of(300_000), DataSize.ofKibibytes(128),
                    DataSize.ZERO);
            Spool spool = Spools.open(config, System::currentTimeMillis);
            for (int i = 0; i < 8; i++) {
                long first = seeds.nextLong(1L << 40);
                Thread.ofVirtual().start(() -> session(spool, first, out));
            }
            new CountDownLatch(1).await();
        }

        private static void session(Spool spool, long first, PrintStream out) {
            try {
                for (long seed = first;; seed++) {
                    QueueId id = TestMessages.commit(spool, envelope(seed), TestMessages.body(size(seed), seed)).id();
                    out.print("stored " + id + " " + seed + " .\n");
                    if (seed % 3 == 0) {
                        out.print("removing " + id + " .\n");
                        spool.remove(id, () -> out.print("removed " + id + " .\n"));
                    }
                }
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }
}
