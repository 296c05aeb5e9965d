package org.slipstream.events.stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.events.stream.EventReader.EventPage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Events on disk: each once, in order, for as long as someone needs them.
class EventFilesTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final long LARGE = 1 << 30;

    @TempDir
    Path directory;
    private Path folder;
    private StreamWorld world;

    @BeforeEach
    void make() {
        folder = directory.resolve("events");
        world = new StreamWorld(folder);
    }

    private MailEvent event(long offset) {
        return StreamWorld.accepted(StreamWorld.cursor(offset), world.nowMillis, 1);
    }

    private List<MailEvent> events(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(this::event).toList();
    }

    private static List<Long> offsets(List<String> lines) {
        return lines.stream().map(each -> MailEvent.cursorOf(each).orElseThrow().offset()).toList();
    }

    private List<Long> all(StreamCursor after) throws IOException {
        List<String> lines = new ArrayList<>();
        EventPage page = world.reader(folder).read(after, 7);
        while (!page.lines().isEmpty()) {
            lines.addAll(page.lines());
            page = world.reader(folder).read(page.next(), 7);
        }
        return offsets(lines);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    @Test
    void anEventThatComesAgainIsNotWrittenAgain() throws IOException {
        try (EventFiles open = world.open(LARGE, DAY)) {
            open.append(events(1, 5));
            open.append(events(3, 8));
        }
        assertThat(all(StreamCursor.OLDEST)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
    }

    /// The log has what the cut line said.
    @Test
    void aLineThatAKillCutOffIsWrittenAgainAfterTheStart() throws IOException {
        try (EventFiles open = world.open(LARGE, DAY)) {
            open.append(events(1, 5));
        }
        byte[] line = event(6).line().getBytes(StandardCharsets.UTF_8);
        for (int length : new int[]{1, 20, line.length - 3, line.length - 1}) {
            Files.write(files().getFirst(), java.util.Arrays.copyOf(line, length), StandardOpenOption.APPEND);
            assertThat(all(StreamCursor.OLDEST)).containsExactly(1L, 2L, 3L, 4L, 5L);
            try (EventFiles open = world.open(LARGE, DAY)) {
                assertThat(open.last()).isEqualTo(StreamWorld.cursor(5));
            }
        }
        // A power cut may leave zeros where data was not written.
        Files.write(files().getFirst(), new byte[5000], StandardOpenOption.APPEND);
        try (EventFiles open = world.open(LARGE, DAY)) {
            open.append(events(5, 7));
        }
        assertThat(all(StreamCursor.OLDEST)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
    }

    /// The log may have forgotten what was synced.
    @Test
    void aDamagedNewestFileIsToldInTheStreamAndNotTakenForAnUnfinishedLine() throws IOException {
        try (EventFiles open = world.open(LARGE, DAY)) {
            open.append(events(1, 5));
        }
        Path file = files().getFirst();
        byte[] octets = Files.readAllBytes(file);
        int third = 2 * (octets.length / 5) + 1;
        octets[third] = 0;
        octets[third + 1] = 0;
        Files.write(file, octets);
        ShardEvents shard = new ShardEvents(1, _ -> world.open(LARGE, DAY), () -> {}, () -> 1);
        assertThat(shard.open(StreamWorld.cursor(0))).isEqualTo(StreamWorld.cursor(2));
        shard.append(events(6, 6));
        shard.close();
        assertThat(world.reader(folder).read(StreamCursor.OLDEST, 10).lines()).hasSize(4)
                .element(2).asString().contains("\"kind\":\"lost\"", "is damaged");
    }

    @Test
    void aReaderFindsItsPlaceInALongFile() throws IOException {
        try (EventFiles open = world.open(LARGE, DAY)) {
            open.append(IntStream.rangeClosed(1, 2000).mapToObj(i -> event(3L * i)).toList());
        }
        for (long offset : new long[]{0, 1, 3, 4, 2999, 3000, 3001, 5999, 6000, 9000}) {
            List<String> lines = world.reader(folder).read(new StreamCursor(Map.of(1,
                    StreamWorld.cursor(offset))), 1).lines();
            long next = 3 * (offset / 3 + 1);
            assertThat(offsets(lines)).as("after %d", offset).isEqualTo(next <= 6000 ? List.of(next) : List.of());
        }
    }

    @Test
    void theOldestFilesGoBeyondTheSizeAndAreCountedWhenASubscriberNeedsThem() throws IOException {
        world.slowest = Optional.of(StreamWorld.cursor(0));
        try (EventFiles open = world.open(64 << 10, DAY)) {
            for (int i = 1; i <= 500; i++) {
                open.append(events(i, i));
            }
            long size = 0;
            for (Path file : files()) {
                size += Files.size(file);
            }
            assertThat(size).isBetween(40L << 10, 64L << 10);
            List<Long> left = all(StreamCursor.OLDEST);
            assertThat(left).last().isEqualTo(500L);
            assertThat(open.dropped()).isEqualTo(left.getFirst() - 1);
        }
        EventPage page = world.reader(folder).read(new StreamCursor(Map.of(1, StreamWorld.cursor(3))), 10);
        assertThat(page.lines().getFirst()).contains("\"kind\":\"lost\"").contains("events after 1.1.3.1 were deleted");
        assertThat(page.lines()).hasSize(11);
    }

    /// Only the newest file may end with half a line.
    @Test
    void aDamagedLineInTheMiddleIsToldAndTheFilesBehindItAreRead() throws IOException {
        try (EventFiles open = world.open(64 << 10, DAY)) {
            for (int i = 1; i <= 60; i++) {
                open.append(events(i, i));
            }
        }
        assertThat(files()).hasSizeGreaterThan(2);
        List<Long> sound = all(StreamCursor.OLDEST);
        Path second = files().get(1);
        byte[] octets = Files.readAllBytes(second);
        octets[0] = 'x';
        Files.write(second, octets);
        long behind = EventFiles.list(folder, 1).get(2).first().offset();
        long before = EventFiles.list(folder, 1).get(1).first().offset();
        List<Long> left = all(StreamCursor.OLDEST);
        assertThat(left).as("with the place of the lost ones").containsExactlyElementsOf(
                sound.stream().filter(each -> each <= before || each >= behind).toList());
        assertThat(world.reader(folder).read(new StreamCursor(Map.of(1, StreamWorld.cursor(before))), 1)
                .lines()).singleElement().satisfies(line -> assertThat(line).contains("\"kind\":\"lost\"",
                        "is damaged"));
    }

    /// The first record of the log may begin where the stream begins.
    @Test
    void eventsWithoutARecordHavePlacesBeforeTheFirstRecordToo() throws IOException {
        UnloggedEvent complaint = new UnloggedEvent(MailEventKind.COMPLAINT, "x", world.nowMillis,
                new LinkedHashMap<>());
        ShardEvents shard = new ShardEvents(1, _ -> world.open(LARGE, DAY), () -> {}, () -> 1);
        shard.open(StreamWorld.cursor(0));
        shard.tell(complaint);
        shard.lost(3, "a reason");
        shard.append(List.of(StreamWorld.accepted(EventCursor.ofRecord(1, 1, 0, 0), world.nowMillis, 1),
                StreamWorld.accepted(EventCursor.ofRecord(1, 1, 0, 1), world.nowMillis, 1)));
        shard.close();
        assertThat(world.reader(folder).read(StreamCursor.OLDEST, 9).lines())
                .extracting(line -> EventFields.of(line).kind())
                .containsExactly("complaint", "lost", "accepted", "accepted");
        try (EventFiles many = world.open(LARGE, DAY)) {
            assertThat(many.last().number()).isEqualTo(EventCursor.FIRST + 1);
        }
    }

    @Test
    void whenThePlacesBeforeTheFirstRecordAreUsedUpAnEventIsNotTaken() throws IOException {
        UnloggedEvent complaint = new UnloggedEvent(MailEventKind.COMPLAINT, "x", world.nowMillis,
                new LinkedHashMap<>());
        try (EventFiles open = world.open(LARGE, DAY)) {
            for (int i = 1; i < EventCursor.FIRST; i++) {
                open.tell(complaint::line);
            }
            assertThatThrownBy(() -> open.tell(complaint::line)).isInstanceOf(IOException.class);
            open.append(List.of(StreamWorld.accepted(EventCursor.ofRecord(1, 1, 0, 0), world.nowMillis, 1)));
            open.tell(complaint::line);
            assertThat(open.last().number()).isEqualTo(EventCursor.FIRST + 1);
        }
    }

    /// A complaint stands behind the latest event of the log, and moves none of those that follow.
    @Test
    void anEventThatTheLogDoesNotHaveStandsBetweenItsEvents() throws IOException {
        UnloggedEvent complaint = new UnloggedEvent(MailEventKind.COMPLAINT, "x-complaint-1", world.nowMillis,
                new LinkedHashMap<>(Map.of("recipient", "bob\n\"@example.net", "user", "")));
        try (EventFiles open = world.open(LARGE, DAY)) {
            open.append(events(1, 2));
            open.tell(complaint::line);
            open.append(events(1, 3));
        }
        List<String> lines = world.reader(folder).read(StreamCursor.OLDEST, 9).lines();
        assertThat(offsets(lines)).containsExactly(1L, 2L, 2L, 3L);
        assertThat(lines.get(2)).startsWith("{\"v\":1,\"id\":\"x-complaint-1\",\"kind\":\"complaint\"")
                .contains("\"recipient\":\"bob\\n\\\"@example.net\"").doesNotContain("\"user\"");
        assertThat(
                world.reader(folder).read(new StreamCursor(Map.of(1, MailEvent.cursorOf(lines.get(2)).orElseThrow())),
                        9).lines())
                .containsExactly(lines.get(3));
        try (EventFiles again = world.open(LARGE, DAY)) {
            again.append(events(1, 4));
        }
        assertThat(all(StreamCursor.OLDEST)).containsExactly(1L, 2L, 2L, 3L, 4L);
    }

    @Test
    void anOldFileStaysUntilTheSlowestSubscriberHasReadIt() throws IOException {
        world.slowest = Optional.of(StreamWorld.cursor(2));
        try (EventFiles open = world.open(LARGE, DAY)) {
            open.append(events(1, 3));
            age(files().getFirst());
            open.append(events(4, 4));
            assertThat(all(StreamCursor.OLDEST)).containsExactly(1L, 2L, 3L, 4L);
            world.slowest = Optional.of(StreamWorld.cursor(4));
            age(files().getFirst());
            open.append(events(5, 5));
            assertThat(all(StreamCursor.OLDEST)).last().isEqualTo(5L);
            assertThat(all(StreamCursor.OLDEST)).doesNotContain(1L, 2L, 3L);
            assertThat(open.dropped()).isZero();
        }
    }

    /// Two days pass.
    private void age(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.fromMillis(world.nowMillis));
        world.nowMillis += 2 * DAY.toMillis();
    }

    @Test
    void theFilesAreForTheOwnerOnly() throws IOException {
        world.open(LARGE, DAY).close();
        assertThat(java.nio.file.attribute.PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwx------");
    }

    /// Each shard keeps its order, and the cursor of each line goes on exactly behind it.
    @Test
    void theStreamsOfShardsAreReadAsOne() throws IOException {
        long seed = System.nanoTime();
        System.out.println("EventFilesTest seed " + seed);
        Random random = new Random(seed);
        Path second = directory.resolve("events-2");
        List<List<Long>> written = List.of(new ArrayList<>(), new ArrayList<>());
        try (EventFiles one = world.open(LARGE, DAY);
                EventFiles two = EventFiles.open(second,
                        new EventSettings(DAY, org.slipstream.core.DataSize.of(LARGE)), new EventCursor(2, 1, 0, 0),
                        () -> world.nowMillis, Optional::empty)) {
            for (int i = 1; i <= 200; i++) {
                world.nowMillis += random.nextInt(3);
                boolean first = random.nextBoolean();
                (first ? one : two).append(List.of(StreamWorld.accepted(
                        new EventCursor(first ? 1 : 2, 1, i, 1), world.nowMillis, 1)));
                written.get(first ? 0 : 1).add((long) i);
            }
        }
        List<String> lines = world.reader(folder, second).read(StreamCursor.OLDEST, 1000).lines();
        assertThat(lines).hasSize(200);
        assertThat(lines.stream().map(each -> MailEvent.timeOf(each).orElseThrow())).isSorted();
        int at = random.nextInt(200);
        String line = lines.get(at);
        String cursor = line.substring(line.lastIndexOf(MailEvent.CURSOR) + MailEvent.CURSOR.length(),
                line.length() - 2);
        assertThat(world.reader(folder, second).read(StreamCursor.parse(cursor).orElseThrow(), 1000).lines())
                .as("seed %d", seed).isEqualTo(lines.subList(at + 1, 200));
    }

    @Test
    void aReaderMayBeginAtATime() throws IOException {
        try (EventFiles open = world.open(LARGE, DAY)) {
            for (int i = 1; i <= 10; i++) {
                world.nowMillis += 1000;
                open.append(events(i, i));
            }
        }
        long begin = world.nowMillis - 9000;
        assertThat(all(world.reader(folder).since(Instant.ofEpochMilli(begin + 4500)))).containsExactly(6L, 7L, 8L, 9L,
                10L);
        assertThat(all(world.reader(folder).since(Instant.ofEpochMilli(begin)))).hasSize(10);
        assertThat(all(world.reader(folder).since(Instant.ofEpochMilli(world.nowMillis + 1)))).isEmpty();
        assertThat(all(world.reader(folder).end())).isEmpty();
    }
}
