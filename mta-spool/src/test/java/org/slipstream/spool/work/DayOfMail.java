package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.slipstream.core.DataSize;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.tools.Spools;
import org.slipstream.testkit.SimulatedClock;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// A day's churn in compressed time: mail comes, most of it leaves at once, some of it stays for
/// hours; and each hour the size of the files beside the size of the queue.
///
/// Three messages in a hundred are deferred. Each hour half of these leave, and at most four in a
/// thousand stay a day, so the length of the queue is stable after a few hours. In the third
/// quarter of the day a destination is down and every fourth message stays: the files grow with the
/// queue, and must shrink with it.
///
/// As a program: `DayOfMail DIRECTORY MESSAGES-AN-HOUR [BYTES [SEGMENT-BYTES]]` prints the table.
final class DayOfMail {
    private static final int SESSIONS = 8;
    private static final long HOUR_MILLIS = 3_600_000;
    private static final Outcome TAKEN = Outcome.of(Reply.of(250, "2.0.0", "taken"), "mx.example.net");
    private static final Outcome BUSY = Outcome.of(Reply.of(451, "4.3.2", "busy"), "mx.example.net");

    /// @param came bytes since the day began
    record Hour(int hour, int messages, long liveBytes, long logBytes, long indexBytes, long came) {}

    private final Path directory;
    private final int messages;
    private final int bytes;
    private final SimulatedClock clock = new SimulatedClock();
    private final Map<QueueId, Integer> waiting = new HashMap<>();
    private final Random random;
    private long came;

    DayOfMail(Path directory, int messages, int bytes, long seed) {
        this.directory = directory;
        this.messages = messages;
        this.bytes = bytes;
        random = new Random(seed);
    }

    List<Hour> run(SpoolConfig config, int hours) throws Exception {
        List<Hour> table = new ArrayList<>();
        try (Spool spool = Spools.open(config, clock::millis)) {
            for (int hour = 1; hour <= hours; hour++) {
                boolean away = hour * 4 > hours * 2 && hour * 4 <= hours * 3;
                leave(spool);
                come(spool, away ? 4 : 33);
                clock.advanceMillis(HOUR_MILLIS);
                rest(spool, config);
                Spool.Counts counts = spool.counts();
                table.add(new Hour(hour, (int) counts.messages(), counts.sizeBytes(), size("log"), size("index"),
                        came));
            }
        }
        return table;
    }

    /// Quiet seconds, in which the cleaner copies the rest of old segments.
    private void rest(Spool spool, SpoolConfig config) throws IOException {
        long enough = mostBoxBytes(spool.counts().sizeBytes(), config.segmentSize().bytes());
        Awaitility.await("the log is in proportion").atMost(Duration.ofSeconds(90))
                .ignoreException(NoSuchFileException.class).until(() -> size("log") <= enough);
    }

    /// Twice the size of the queue, four segments to spare, the open one, and those that are being
    /// emptied; and a segment ends with a whole group.
    static long mostBoxBytes(long liveBytes, long segmentBytes) {
        return 2 * liveBytes + 8 * (segmentBytes + SESSIONS * 4096);
    }

    private void come(Spool spool, int oneIn) throws Exception {
        List<Future<?>> sessions = new ArrayList<>();
        CountDownLatch answered = new CountDownLatch(messages);
        try (ExecutorService threads = Executors.newFixedThreadPool(SESSIONS, Thread.ofVirtual().factory())) {
            for (int i = 0; i < messages; i++) {
                byte[] body = TestMessages.body(1 + random.nextInt(2 * bytes), random.nextLong());
                boolean stays = random.nextInt(oneIn) == 0;
                came += body.length;
                sessions.add(threads.submit(() -> session(spool, body, stays, answered)));
            }
            for (Future<?> each : sessions) {
                each.get();
            }
        }
        answered.await();
    }

    private Void session(Spool spool, byte[] body, boolean stays, CountDownLatch answered) throws IOException {
        QueueId id = TestMessages.commit(spool, "bob@example.net", body);
        spool.record(id, List.of(new RecipientOutcome(1, stays ? BUSY : TAKEN)), () -> {});
        if (stays) {
            synchronized (waiting) {
                waiting.put(id, body.length);
            }
            spool.defer(id, clock.millis() + HOUR_MILLIS, answered::countDown);
        } else {
            spool.remove(id, answered::countDown);
        }
        return null;
    }

    /// Half of the queue is delivered now.
    private void leave(Spool spool) throws InterruptedException {
        List<QueueId> leaving = waiting.keySet().stream().sorted().filter(_ -> random.nextBoolean()).toList();
        CountDownLatch answered = new CountDownLatch(leaving.size());
        for (QueueId id : leaving) {
            waiting.remove(id);
            spool.record(id, List.of(new RecipientOutcome(1, TAKEN)), () -> {});
            spool.remove(id, answered::countDown);
        }
        answered.await();
    }

    /// Files that are deleted just then count nothing.
    private long size(String part) throws IOException {
        try (var files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith(part)).mapToLong(file -> {
                File[] inside = file.toFile().listFiles();
                return inside == null ? file.toFile().length() : Arrays.stream(inside).mapToLong(File::length).sum();
            }).sum();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        int bytes = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 4096;
        long segment = arguments.length > 3
                ? Long.parseLong(arguments[3])
                : SpoolConfig.at(directory).segmentSize().bytes();
        SpoolConfig config = new SpoolConfig(directory, DataSize.of(segment), DataSize.ofKibibytes(128), DataSize.ZERO);
        long begin = System.nanoTime();
        List<Hour> table = new DayOfMail(directory, Integer.parseInt(arguments[1]), bytes, 1).run(config, 24);
        System.out
                .println(
                        "| Hour | Came, MB | Queued | Live, MB | Log, MB | Index, MB |\n|---|---|---|---|---|---|");
        table.forEach(each -> System.out.printf("| %d | %.0f | %d | %.1f | %.1f | %.1f |%n", each.hour(),
                each.came() / 1e6, each.messages(), each.liveBytes() / 1e6, each.logBytes() / 1e6,
                each.indexBytes() / 1e6));
        System.out.printf("after the stop: index %.1f MB; %.0f s%n",
                Files.size(directory.resolve("index.mv.db")) / 1e6, (System.nanoTime() - begin) / 1e9);
    }
}
