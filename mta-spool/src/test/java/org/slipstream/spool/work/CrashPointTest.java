package org.slipstream.spool.work;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.work.DiskLog.Cut;
import org.slipstream.spool.work.DiskLog.Event;
import org.slipstream.testkit.Folders;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// A scripted day is cut off behind each of its writes, in four ways, and every promise made until
/// then is checked.
///
/// A killed process is tried behind a write, failed power behind a sync (between two syncs such a
/// disk does not change). The build takes a part of the cuts of each kind, `-Dslipstream.long=true`
/// takes all. `-Dcrash.seed=…` takes another script. A broken promise is kept as a folder
/// `target/crash-…`, the disk as it was before the spool was opened.
class CrashPointTest {
    private static final boolean ALL = Boolean.getBoolean("slipstream.long");
    private static final int THREADS = 4;

    private static final String INDEX = "index.mv.db";

    /// The change of the index by an operator, a backup or another disk before the next start.
    private enum Index {
        AS_IT_WAS, LOST, OLD
    }

    private record Point(int at, Cut cut, Index index) {}

    /// @param rebuilt the index was set aside or missing
    /// @param broken guarantees that were not kept
    private record Checked(Point point, boolean rebuilt, List<String> broken) {}

    @TempDir
    Path directory;

    @Test
    @Tag("IM-34")
    void whereverARunIsCutOffEveryPromiseMadeUntilThenIsKept() throws Exception {
        long seed = Long.getLong("crash.seed", System.nanoTime());
        System.out.println("CrashPointTest seed " + seed);
        DiskLog log = new DiskLog(Files.createDirectory(directory.resolve("run")), true);
        CrashScript script;
        try (CrashWorld world = new CrashWorld(log)) {
            script = new CrashScript(world, seed);
            script.run();
        }
        List<Point> points = points(log, new Random(seed));
        long begin = System.nanoTime();
        List<Checked> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<Checked>> running = points.stream()
                    .map(point -> threads.submit(() -> checked(log, script, point, seed))).toList();
            for (Future<Checked> each : running) {
                results.add(each.get());
            }
        }
        Map<String, Integer> cuts = new TreeMap<>();
        points.forEach(point -> cuts.merge(point.index() == Index.AS_IT_WAS
                ? point.cut().getClass().getSimpleName()
                : "Index" + point.index(), 1, Integer::sum));
        System.out.printf("CrashPointTest %d messages, %d events, cuts %s, %d indexes made again, %.1f s%n",
                script.messages(), log.now(), cuts, results.stream().filter(Checked::rebuilt).count(),
                (System.nanoTime() - begin) / 1e9);
        assertThat(results.stream().filter(checked -> !checked.broken().isEmpty()).limit(10)).as("seed %d", seed)
                .isEmpty();
    }

    /// The start that enters the newest records of the log into the index is cut off, too, or the making of the whole
    /// index while the queue is served from the log.
    @Test
    void aStartThatIsCutOffIsFollowedByOneThatKeepsThePromises() throws Exception {
        long seed = Long.getLong("crash.seed", System.nanoTime());
        System.out.println("CrashPointTest of starts, seed " + seed);
        Random random = new Random(seed);
        DiskLog log = new DiskLog(Files.createDirectory(directory.resolve("run")), true);
        CrashScript script;
        try (CrashWorld world = new CrashWorld(log)) {
            script = new CrashScript(world, seed);
            script.run();
        }
        int second = 0;
        List<String> broken = new ArrayList<>();
        for (int i = 0; i < (ALL ? 60 : 3); i++) {
            int at = 1 + random.nextInt(log.now());
            Cut first = random.nextBoolean() ? new Cut.Power() : new Cut.Reordered(random.nextLong());
            DiskLog.Image left = log.image(at, first);
            if (i % 2 == 0) {
                left.files().remove(INDEX);
            }
            DiskLog start = DiskLog.of(left, Files.createTempDirectory(directory, "start"));
            int begin = start.now();
            try (CrashWorld world = new CrashWorld(start); Spool spool = world.open()) {
                assertThat(spool.counts().messages()).isNotNegative();
                TestWorld.made(spool);
            }
            for (int j = 0; j < (ALL ? 20 : 5); j++) {
                int then = begin + random.nextInt(start.now() - begin + 1);
                Cut cut = switch (random.nextInt(3)) {
                    case 0 -> new Cut.Process();
                    case 1 -> new Cut.Power();
                    default -> new Cut.Reordered(random.nextLong());
                };
                Path image = Files.createTempDirectory(directory, "image");
                start.image(then, cut).copyTo(image);
                List<String> found = reopen(image, script, new Point(at, first, Index.AS_IT_WAS));
                if (!found.isEmpty()) {
                    broken.add("cut " + first + " at " + at + ", start cut " + cut + " at " + then + ": " + found);
                }
                Folders.delete(image);
                second++;
            }
        }
        System.out.println("CrashPointTest " + second + " starts cut off");
        assertThat(broken).as("seed %d", seed).isEmpty();
    }

    private static List<Point> points(DiskLog log, Random random) {
        List<Point> points = new ArrayList<>();
        for (int at = 1; at <= log.now(); at++) {
            Event last = log.event(at - 1);
            boolean sync = last instanceof Event.Force || last instanceof Event.SyncFolder;
            Cut plain = sync ? new Cut.Power() : new Cut.Process();
            if (ALL || random.nextInt(3) == 0) {
                points.add(new Point(at, plain, Index.AS_IT_WAS));
            }
            for (Index index : List.of(Index.LOST, Index.OLD)) {
                if (ALL || random.nextInt(15) == 0) {
                    points.add(new Point(at, plain, index));
                }
            }
            if (last instanceof Event.Write(int _, long _, byte[] bytes)) {
                for (int prefix : new int[]{1, bytes.length / 2, bytes.length - 1}) {
                    if (ALL || random.nextInt(15) == 0) {
                        points.add(new Point(at, new Cut.Torn(prefix), Index.AS_IT_WAS));
                    }
                }
            }
            for (int i = 0; i < (ALL ? 4 : 1); i++) {
                long seed = random.nextLong();
                if (ALL || random.nextInt(8) == 0) {
                    points.add(new Point(at, new Cut.Reordered(seed), Index.AS_IT_WAS));
                }
            }
        }
        return points;
    }

    /// An image of the index of the moment half as far into the day, or nothing.
    private static void spoil(Path image, DiskLog log, Point point) throws IOException {
        switch (point.index()) {
            case AS_IT_WAS -> {
                return;
            }
            case LOST -> Files.deleteIfExists(image.resolve(INDEX));
            case OLD -> {
                Files.deleteIfExists(image.resolve(INDEX));
                ByteBuffer old = log.image(point.at() / 2, new Cut.Process()).files().get(INDEX);
                if (old != null) {
                    byte[] bytes = new byte[old.remaining()];
                    old.duplicate().get(bytes);
                    Files.write(image.resolve(INDEX), bytes);
                }
            }
        }
    }

    private Checked checked(DiskLog log, CrashScript script, Point point, long seed) throws IOException {
        Path image = Files.createTempDirectory(directory, "image");
        log.image(point.at(), point.cut()).copyTo(image);
        spoil(image, log, point);
        boolean had = Files.exists(image.resolve(INDEX));
        List<String> broken = reopen(image, script, point);
        if (!broken.isEmpty()) {
            Path kept = Path.of("target",
                    "crash-" + seed + "-at-" + point.at() + "-" + point.cut() + "-" + point.index());
            log.image(point.at(), point.cut()).copyTo(kept);
        }
        boolean rebuilt = !had || setAside(image);
        Folders.delete(image);
        return new Checked(point, rebuilt, broken);
    }

    private static List<String> reopen(Path image, CrashScript script, Point point) {
        try (CrashWorld world = new CrashWorld(new DiskLog(image, false)); Spool spool = world.open()) {
            return script.check(spool, point.at());
        } catch (SpoolException | IOException e) {
            return List.of(e.toString());
        }
    }

    private static boolean setAside(Path image) throws IOException {
        try (Stream<Path> files = Files.list(image)) {
            return files.anyMatch(file -> file.getFileName().toString().matches("index-(damaged|not-closed).*"));
        }
    }
}
