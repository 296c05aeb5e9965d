package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.index.IndexDatabase;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.index.UnusableIndexException;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/// The real index on a disk that loses power, or space, at any moment.
class PowerCutTest {
    private static final int CUTS = Boolean.getBoolean("slipstream.long") ? 100 : 8;

    @TempDir
    Path directory;

    /// The index on the recorded disk; the log keeps the length that its segment had at the last
    /// sync.
    private final class Parts implements Spools.Parts {
        final TreeMap<Integer, Long> logBytes = new TreeMap<>();

        @Override
        public QueueIndex index(SpoolConfig config) throws UnusableIndexException {
            return IndexDatabase.open(config.directory(), WatchedDisk.SCHEME, 1);
        }

        @Override
        public MessageLog log(SpoolConfig config) throws IOException {
            MessageLog real = Spools.Parts.super.log(config);
            Path segment = config.directory().resolve("log").resolve("0000000001.segment");
            return (MessageLog) java.lang.reflect.Proxy.newProxyInstance(MessageLog.class.getClassLoader(),
                    new Class<?>[]{MessageLog.class}, (_, method, arguments) -> {
                        Object result = method.invoke(real, arguments);
                        if (method.getName().equals("sync")) {
                            logBytes.put(WatchedDisk.now(), Files.size(segment));
                        }
                        return result;
                    });
        }
    }

    private record Acknowledged(byte[] body, int at) {}

    private final Parts parts = new Parts();
    private final Map<QueueId, Acknowledged> stored = new LinkedHashMap<>();
    private final Map<QueueId, Integer> removing = new LinkedHashMap<>();
    private final Map<QueueId, Integer> removed = new LinkedHashMap<>();

    @BeforeEach
    void plugIn() {
        WatchedDisk.reset();
    }

    @Test
    void anyStateOfTheIndexAfterAPowerCutKeepsAcknowledgedMail() throws Exception {
        long seed = System.nanoTime();
        System.out.println("PowerCutTest seed " + seed);
        Random random = new Random(seed);
        Path spoolDirectory = directory.resolve("spool");
        int first = run(spoolDirectory, random);
        int last = WatchedDisk.now();
        for (int i = 0; i < CUTS; i++) {
            int cut = first + random.nextInt(last - first + 1);
            Path image = directory.resolve("image-" + i);
            cut(spoolDirectory, image, cut, random);
            verify(image, cut, "seed " + seed + " cut " + cut);
        }
    }

    /// @return when the first message was acknowledged
    private int run(Path where, Random random) throws Exception {
        try (Spool spool = Spools.open(SpoolConfig.at(where), System::currentTimeMillis, parts)) {
            int first = 0;
            for (int i = 0; i < 150; i++) {
                byte[] body = TestMessages.body(1 + random.nextInt(3000), random.nextLong());
                QueueId id = TestMessages.commit(spool, "bob@example.net", body);
                stored.put(id, new Acknowledged(body, WatchedDisk.now()));
                first = first == 0 ? WatchedDisk.now() : first;
                if (i % 3 == 0) {
                    removing.put(id, WatchedDisk.now());
                    TestMessages.done(then -> spool.remove(id, then));
                    removed.put(id, WatchedDisk.now());
                }
            }
            return first;
        }
    }

    private void cut(Path from, Path to, int cut, Random random) throws IOException {
        Files.createDirectories(to.resolve("log"));
        Path segment = to.resolve("log").resolve("0000000001.segment");
        Files.copy(from.resolve("log").resolve(segment.getFileName()), segment);
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            // The part that the log had certainly written by then; the rest of the unsynced tail
            // may be there in part.
            long safe = parts.logBytes.floorEntry(cut).getValue();
            file.setLength(Math.min(file.length(), safe + random.nextInt(2000)));
        }
        WatchedDisk.image(to.resolve("index.mv.db"), cut, random);
    }

    private void verify(Path image, int cut, String when) throws Exception {
        try (Spool spool = Spools.open(SpoolConfig.at(image), System::currentTimeMillis)) {
            // Damage that only a reader meets is repaired in the running server.
            Awaitility.await().atMost(Duration.ofSeconds(90)).ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> spool.list(Optional.empty(), 1000) != null);
            List<QueueId> queued = spool.list(Optional.empty(), 1000).stream().map(each -> each.summary().id())
                    .toList();
            assertThat(queued).as(when).doesNotHaveDuplicates();
            List<QueueId> missing = new ArrayList<>();
            for (Map.Entry<QueueId, Acknowledged> each : stored.entrySet()) {
                QueueId id = each.getKey();
                boolean safe = each.getValue().at() <= cut;
                if (queued.contains(id)) {
                    assertThat(TestMessages.read(spool, id)).as(when).isEqualTo(each.getValue().body());
                    assertThat(removed.getOrDefault(id, Integer.MAX_VALUE)).as("came back, %s", when)
                            .isGreaterThan(cut);
                } else if (safe && removing.getOrDefault(id, Integer.MAX_VALUE) > cut) {
                    missing.add(id);
                }
            }
            assertThat(missing).as(when).isEmpty();
            assertThat(spool.counts().corrupt()).as(when).isZero();
        }
    }

    /// The disk is full for the index only; the log has space.
    @Test
    void mailContinuesWhileTheRealDatabaseHasNoSpaceAndTheIndexCatchesUp() throws Exception {
        try (Spool spool = Spools.open(SpoolConfig.at(directory), System::currentTimeMillis, parts)) {
            QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            WatchedDisk.full(true);
            Outcome later = Outcome.of(Reply.of(451, "4.3.0", "later"), "mx.example.net");
            TestMessages.done(then -> spool.record(id, List.of(new RecipientOutcome(1, later)), then));
            // Large enough that the database has to write.
            for (int i = 0; i < 500; i++) {
                TestMessages.commit(spool, "bob@example.net", new byte[100]);
            }
            Awaitility.await().atMost(Duration.ofSeconds(90))
                    .until(() -> spool.troubles().stream().anyMatch(each -> each.what() == Spool.What.INDEX));
            QueueId next = TestMessages.commit(spool, "eve@example.net", new byte[100]);
            assertThat(spool.readRecipients(next, 0, 10).recipients()).hasSize(1);
            assertThat(TestMessages.read(spool, next)).hasSize(100);
            WatchedDisk.full(false);
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> spool.troubles().isEmpty());
            assertThat(spool.counts().messages()).isEqualTo(502);
            assertThat(spool.details(id).orElseThrow().summary().attempts()).isEqualTo(1);
        }
    }
}
