package org.slipstream.spool.work;

import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.Segments;
import org.slipstream.spool.tools.SpoolTools;
import org.slipstream.spool.tools.Spools;
import org.slipstream.spool.work.DiskLog.Cut;
import org.slipstream.testkit.Folders;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// A disk that returns other bytes than were written: in each kind of record of the log, in large
/// messages, and all over the index.
///
/// The day of [CrashScript] is over and the server has been stopped in order. Then one byte is
/// flipped, or a file is cut short, and three things are checked: a server that starts serves all
/// other mail; `verify` names the damage; `repair` makes an index from the log in which everything
/// else is right.
///
/// The build takes a part of the places, at least one of each kind; `-Dslipstream.long=true` takes
/// every record and many pages.
class DamageTest {
    private static final boolean ALL = Boolean.getBoolean("slipstream.long");
    private static final int PAGE = 4096;
    private static final int RECORD_HEADER = 36;
    private static final int SEGMENT_HEADER = 32;

    @TempDir
    static Path directory;
    private static long seed;
    private static DiskLog log;
    private static CrashScript script;

    /// @param end behind its last byte; @param hit messages that it holds or speaks of
    private record Piece(String file, String kind, int begin, int end, Set<String> hit) {}

    private sealed interface Harm {
        record Flip(String file, int at) implements Harm {}

        record Cut(String file, int size) implements Harm {}
    }

    @BeforeAll
    static void aDay() throws Exception {
        seed = Long.getLong("damage.seed", System.nanoTime());
        System.out.println("DamageTest seed " + seed);
        log = new DiskLog(Files.createDirectory(directory.resolve("run")), true);
        try (CrashWorld world = new CrashWorld(log)) {
            script = new CrashScript(world, seed);
            script.run();
        }
    }

    @Test
    void damageInTheLogCostsWhatItHitsAndNothingElse() throws Exception {
        Random random = new Random(seed);
        List<Piece> pieces = pieces();
        Map<String, Integer> cases = new TreeMap<>();
        List<String> wrong = new ArrayList<>();
        for (Piece piece : chosen(pieces, random)) {
            int inside = piece.begin() + random.nextInt(piece.end() - piece.begin());
            for (Harm harm : List.of(new Harm.Flip(piece.file(), inside), new Harm.Cut(piece.file(), piece.begin()),
                    new Harm.Cut(piece.file(), inside))) {
                cases.merge(piece.kind(), 1, Integer::sum);
                tryLog(piece, isLast(pieces, piece), harm, hit(pieces, piece, harm), wrong);
            }
        }
        System.out.println("DamageTest log " + cases);
        assertThat(wrong).as("seed %d", seed).isEmpty();
    }

    private static void tryLog(Piece piece, boolean last, Harm harm, Set<String> hit, List<String> wrong)
            throws Exception {
        String what = piece.kind() + " " + harm;
        Path image = image(harm);
        List<String> broken = check(image);
        others(broken, hit).forEach(each -> wrong.add(what + ", started: " + each));
        Folders.delete(image);
        image(harm, image);
        List<String> findings = verify(image).findings();
        broken.stream().filter(each -> each.endsWith("another message now")).map(each -> each.split(" ")[0])
                .filter(id -> findings.stream().noneMatch(each -> each.contains(id)))
                .forEach(id -> wrong.add(what + ", not named by verify: " + id));
        // At the end of a segment, a record without a beginning looks like the write in which a
        // machine stopped.
        if (harm instanceof Harm.Flip && piece.file().startsWith("log/") && !last && findings.isEmpty()) {
            wrong.add(what + ", not found by verify");
        }
        Folders.delete(image);
        image(harm, image);
        SpoolTools.repair(SpoolConfig.at(image), System::currentTimeMillis);
        others(check(image), hit).forEach(each -> wrong.add(what + ", repaired: " + each));
        Folders.delete(image);
    }

    /// A cut takes all that follows; a flip in the header of a segment takes nothing, because its
    /// records hold its salt.
    private static Set<String> hit(List<Piece> pieces, Piece piece, Harm harm) {
        if (harm instanceof Harm.Flip) {
            return piece.hit();
        }
        return pieces.stream().filter(each -> each.file().equals(piece.file()) && each.begin() >= piece.begin())
                .flatMap(each -> each.hit().stream()).collect(Collectors.toSet());
    }

    private static List<String> others(List<String> broken, Set<String> hit) {
        return broken.stream().filter(each -> hit.stream().noneMatch(each::startsWith)).toList();
    }

    private static boolean isLast(List<Piece> pieces, Piece piece) {
        return pieces.stream().noneMatch(each -> each.file().equals(piece.file()) && each.begin() > piece.begin());
    }

    private static List<Piece> chosen(List<Piece> pieces, Random random) {
        if (ALL) {
            return pieces;
        }
        List<Piece> shuffled = new ArrayList<>(pieces);
        Collections.shuffle(shuffled, random);
        Map<String, Long> taken = new TreeMap<>();
        return shuffled.stream().filter(piece -> taken.merge(piece.kind(), 1L, Long::sum) <= 1).toList();
    }

    private static List<Piece> pieces() throws IOException {
        List<Piece> pieces = new ArrayList<>();
        Map<Position, Set<String>> subjects = subjects();
        log.image(log.now(), new Cut.Process()).files().forEach((name, bytes) -> {
            if (name.endsWith(".hint")) {
                pieces.add(new Piece(name, "hints", 0, bytes.remaining(), Set.of()));
            } else if (name.startsWith("log/")) {
                pieces.add(new Piece(name, "segment header", 0, SEGMENT_HEADER, Set.of()));
                records(name, bytes, subjects, pieces);
            } else if (name.startsWith("large/")) {
                String id = name.substring("large/".length(), name.indexOf('.'));
                pieces.add(new Piece(name, "large file", 0, bytes.remaining(), Set.of(id)));
            }
        });
        assertThat(pieces).extracting(Piece::kind).as("each kind of record, seed %d", seed).contains("message inline",
                "message by reference", "records without content", "large file", "hints", "message with changes");
        return pieces;
    }

    private static void records(String name, ByteBuffer bytes, Map<Position, Set<String>> subjects,
            List<Piece> pieces) {
        long segment = Long.parseLong(name.substring("log/".length(), name.indexOf('.')));
        for (int at = SEGMENT_HEADER; at < bytes.limit();) {
            int end = at + RECORD_HEADER + bytes.getInt(at + 4);
            String kind = switch (bytes.getInt(at + 12)) {
                case 1 -> "records without content";
                case 2 -> "message inline";
                case 3 -> "message by reference";
                // A report, with the mark of its message.
                case 4 -> "message with changes";
                default -> throw new AssertionError("a record of kind " + bytes.getInt(at + 12));
            };
            pieces.add(new Piece(name, kind, at, end, subjects.get(new Position(segment, at))));
            at = end;
        }
    }

    /// The messages that the records at each place name.
    private static Map<Position, Set<String>> subjects() throws IOException {
        Map<Position, Set<String>> subjects = new TreeMap<>();
        Path image = Files.createTempDirectory(directory, "scan");
        log.image(log.now(), new Cut.Process()).copyTo(image);
        try (Segments segments = new Segments(image, 1 << 20)) {
            segments.scan(Position.START, new Position(Long.MAX_VALUE, 0), found -> {
                if (found instanceof MessageLog.ScannedRecord.Sound(LogRecord record, Position at)) {
                    subjects.computeIfAbsent(at, _ -> new TreeSet<>()).add(record.subject().toString());
                }
            });
        }
        Folders.delete(image);
        return subjects;
    }

    /// H2 has no checksum over the content of its pages: some flips only show when the index is
    /// compared with the log.
    @Test
    void damageInTheIndexIsMendedFromTheLogWhateverItHits() throws Exception {
        Random random = new Random(seed);
        Map<String, Integer> outcomes = new TreeMap<>();
        List<String> wrong = new ArrayList<>();
        for (Harm harm : indexHarms(random)) {
            Path image = image(harm);
            try {
                outcomes.merge(outcome(image), 1, Integer::sum);
                Folders.delete(image);
                image(harm, image);
                SpoolTools.Report report = SpoolTools.repair(SpoolConfig.at(image), System::currentTimeMillis);
                report.findings().forEach(each -> wrong.add(harm + ", after repair: " + each));
                check(image).forEach(each -> wrong.add(harm + ", repaired: " + each));
            } catch (ConditionTimeoutException e) {
                throw new AssertionError(harm + " of seed " + seed, e);
            }
            Folders.delete(image);
        }
        System.out.println("DamageTest index " + outcomes);
        assertThat(wrong).as("seed %d", seed).isEmpty();
    }

    private static List<Harm> indexHarms(Random random) {
        String file = "index.mv.db";
        int size = log.image(log.now(), new Cut.Process()).files().get(file).remaining();
        int pages = (size + PAGE - 1) / PAGE;
        List<Harm> harms = new ArrayList<>();
        for (int page = 0; page < pages; page++) {
            // The two headers, the first chunk, and the end.
            boolean edge = page < (ALL ? 4 : 3) || page >= pages - (ALL ? 2 : 1);
            if (edge || random.nextInt(pages) < (ALL ? 200 : 4)) {
                harms.add(new Harm.Flip(file, Math.min(size - 1, page * PAGE + random.nextInt(PAGE))));
            }
            if (edge || random.nextInt(pages) < (ALL ? 30 : 1)) {
                harms.add(new Harm.Cut(file, page * PAGE));
                harms.add(new Harm.Cut(file, Math.min(size - 1, page * PAGE + 1 + random.nextInt(PAGE - 1))));
            }
        }
        return harms;
    }

    /// The results of a start and of `verify` with a damaged index.
    private static String outcome(Path image) throws SpoolException, IOException {
        SpoolTools.Report report;
        try {
            report = verify(image);
        } catch (SpoolException e) {
            assertThat(e.getMessage()).isNotBlank().doesNotContain("\n");
            return "refused with a sentence";
        } catch (IOException e) {
            return "refused while it was read";
        }
        try (Stream<Path> files = Files.list(image)) {
            if (files.anyMatch(each -> each.getFileName().toString().startsWith("index-damaged"))) {
                return check(image).isEmpty() ? "made again at the start" : "made again and WRONG";
            }
        }
        if (!report.findings().isEmpty()) {
            return "named by verify";
        }
        return check(image).isEmpty() ? "hit nothing" : "not noticed";
    }

    private static SpoolTools.Report verify(Path image) throws SpoolException, IOException {
        return SpoolTools.verify(SpoolConfig.at(image), System::currentTimeMillis);
    }

    private static List<String> check(Path image) throws SpoolException, IOException {
        try (Spool spool = Spools.open(SpoolConfig.at(image), System::currentTimeMillis)) {
            return script.check(spool, log.now());
        }
    }

    private static Path image(Harm harm) throws IOException {
        Path image = Files.createTempDirectory(directory, "image");
        image(harm, image);
        return image;
    }

    private static void image(Harm harm, Path image) throws IOException {
        log.image(log.now(), new Cut.Process()).copyTo(image);
        switch (harm) {
            case Harm.Flip(String file, int at) -> {
                try (RandomAccessFile bytes = new RandomAccessFile(image.resolve(file).toFile(), "rw")) {
                    bytes.seek(at);
                    int octet = bytes.read();
                    bytes.seek(at);
                    bytes.write(octet ^ 0x10);
                }
            }
            case Harm.Cut(String file, int size) -> {
                try (RandomAccessFile bytes = new RandomAccessFile(image.resolve(file).toFile(), "rw")) {
                    bytes.setLength(size);
                }
            }
        }
    }
}
