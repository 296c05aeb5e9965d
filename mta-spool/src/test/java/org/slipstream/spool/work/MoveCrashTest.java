package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.spool.MovedCopies;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.work.DiskLog.Cut;
import org.slipstream.spool.work.DiskLog.Event;
import org.slipstream.testkit.Folders;
import org.slipstream.testkit.SimulatedClock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.assertj.core.api.Assertions.assertThat;

/// Mail moves between two logs on two disks, and both are cut off behind each write and each sync.
///
/// After the recovery of both and the sweep of copies, each message is in exactly one spool, with a
/// state that was on its way at that moment; removed messages do not come back. The build takes a
/// part of the cuts, `-Dslipstream.long=true` takes all. `-Dcrash.seed=…` takes another script.
@Tag("IM-33")
class MoveCrashTest {
    private static final boolean ALL = Boolean.getBoolean("slipstream.long");
    private static final int THREADS = 4;
    private static final String INDEX = "index.mv.db";

    /// @param first cut of the first disk, @param second of the second
    /// @param withoutIndex both indexes are lost, too
    private record Point(String kind, int at, Cut first, Cut second, boolean withoutIndex) {}

    @TempDir
    Path directory;

    private List<DiskLog> disks;

    private MoveScript recorded(long seed, int messages, int steps) throws Exception {
        disks = List.of(new DiskLog(Files.createDirectory(directory.resolve("one")), true),
                new DiskLog(Files.createDirectory(directory.resolve("two")), true));
        SimulatedClock clock = new SimulatedClock();
        try (CrashWorld one = new CrashWorld(disks.get(0), 1, clock);
                CrashWorld two = new CrashWorld(disks.get(1), 2, clock)) {
            MoveScript script = new MoveScript(List.of(one, two), seed);
            script.run(messages, steps);
            return script;
        }
    }

    @Test
    void whereverBothDisksAreCutOffEachMessageIsInOneSpoolWithItsState() throws Exception {
        long seed = Long.getLong("crash.seed", System.nanoTime());
        System.out.println("MoveCrashTest seed " + seed);
        MoveScript script = recorded(seed, 24, 25);
        List<Point> points = points(script, new Random(seed));
        long begin = System.nanoTime();
        List<String> broken = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<List<String>>> running = points.stream()
                    .map(point -> threads.submit(() -> checked(script, point))).toList();
            for (Future<List<String>> each : running) {
                broken.addAll(each.get());
            }
        }
        Map<String, Integer> cuts = new TreeMap<>();
        points.forEach(point -> cuts.merge(point.kind(), 1, Integer::sum));
        System.out.printf("MoveCrashTest %s, %d cuts %s, %.1f s%n", script.summary(), points.size(), cuts,
                (System.nanoTime() - begin) / 1e9);
        assertThat(broken.stream().limit(10)).as("seed %d", seed).isEmpty();
    }

    /// The start that sweeps copies is cut off as well.
    @Test
    void aSweepThatIsCutOffIsFollowedByOneThatEndsIt() throws Exception {
        long seed = Long.getLong("crash.seed", System.nanoTime());
        System.out.println("MoveCrashTest of sweeps, seed " + seed);
        MoveScript script = recorded(seed, 16, 12);
        Random random = new Random(seed);
        List<String> broken = new ArrayList<>();
        int second = 0;
        for (int i = 0; i < (ALL ? 40 : 4); i++) {
            int at = 1 + random.nextInt(script.now());
            List<DiskLog> starts = new ArrayList<>();
            for (int disk = 0; disk < 2; disk++) {
                starts.add(DiskLog.of(disks.get(disk).image(script.moment(at)[disk], new Cut.Power()),
                        Files.createTempDirectory(directory, "start")));
            }
            int[] begin = {starts.get(0).now(), starts.get(1).now()};
            opened(starts, script, at);
            for (int j = 0; j < (ALL ? 20 : 4); j++) {
                int[] then = {begin[0] + random.nextInt(starts.get(0).now() - begin[0] + 1),
                        begin[1] + random.nextInt(starts.get(1).now() - begin[1] + 1)};
                List<Path> images = new ArrayList<>();
                for (int disk = 0; disk < 2; disk++) {
                    Cut cut = random.nextBoolean() ? new Cut.Power() : new Cut.Reordered(random.nextLong());
                    images.add(image(starts.get(disk), then[disk], cut));
                }
                broken.addAll(reopened(images, script, at));
                second++;
            }
        }
        System.out.println("MoveCrashTest " + second + " sweeps cut off");
        assertThat(broken.stream().limit(10)).as("seed %d", seed).isEmpty();
    }

    private List<Point> points(MoveScript script, Random random) {
        List<Point> points = new ArrayList<>();
        for (int at = 1; at <= script.now(); at++) {
            Cut reordered = new Cut.Reordered(random.nextLong());
            add(points, random, 24, new Point("power", at, new Cut.Power(), new Cut.Power(), false));
            add(points, random, 24, new Point("process", at, new Cut.Process(), new Cut.Process(), false));
            add(points, random, 40, new Point("one-keeps", at, new Cut.Process(), new Cut.Power(), false));
            add(points, random, 40, new Point("other-keeps", at, new Cut.Power(), new Cut.Process(), false));
            add(points, random, 24, new Point("reordered", at, reordered, new Cut.Reordered(random.nextLong()), false));
            add(points, random, 40, new Point("no-index", at, new Cut.Power(), new Cut.Power(), true));
            int disk = script.changed(at);
            if (disks.get(disk)
                    .event(script.moment(at)[disk] - 1) instanceof Event.Write(int _, long _, byte[] bytes)) {
                Cut torn = new Cut.Torn(random.nextInt(bytes.length));
                add(points, random, 24, new Point("torn", at, disk == 0 ? torn : new Cut.Process(),
                        disk == 1 ? torn : new Cut.Process(), false));
            }
        }
        return points;
    }

    /// The build takes one of `share`.
    private static void add(List<Point> points, Random random, int share, Point point) {
        if (ALL || random.nextInt(share) == 0) {
            points.add(point);
        }
    }

    private List<String> checked(MoveScript script, Point point) throws IOException {
        List<Path> images = List.of(image(disks.get(0), script.moment(point.at())[0], point.first()),
                image(disks.get(1), script.moment(point.at())[1], point.second()));
        if (point.withoutIndex()) {
            for (Path image : images) {
                Files.deleteIfExists(image.resolve(INDEX));
            }
        }
        return reopened(images, script, point.at()).stream().map(each -> point + ": " + each)
                .toList();
    }

    private Path image(DiskLog disk, int events, Cut cut) throws IOException {
        Path image = Files.createTempDirectory(directory, "image");
        disk.image(events, cut).copyTo(image);
        return image;
    }

    private static List<String> reopened(List<Path> images, MoveScript script, int at) throws IOException {
        List<String> broken = opened(images.stream().map(image -> new DiskLog(image, false)).toList(), script, at);
        for (Path image : images) {
            Folders.delete(image);
        }
        return broken;
    }

    private static List<String> opened(List<DiskLog> logs, MoveScript script, int at) {
        SimulatedClock clock = new SimulatedClock();
        try (CrashWorld one = new CrashWorld(logs.get(0), 1, clock);
                CrashWorld two = new CrashWorld(logs.get(1), 2, clock);
                Spool first = one.open();
                Spool second = two.open()) {
            // Damage of an index that only a reader meets is repaired in the running spool.
            Awaitility.await().atMost(Duration.ofSeconds(90)).ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> MovedCopies.sweep(1, first, List.of(second)) >= 0);
            return script.check(List.of(first, second), at);
        } catch (SpoolException | IOException | RuntimeException e) {
            return List.of(e.toString());
        }
    }
}
