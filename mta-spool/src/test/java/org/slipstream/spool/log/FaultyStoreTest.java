package org.slipstream.spool.log;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.QueueName;
import org.slipstream.spool.index.DueQuery;
import org.slipstream.spool.index.LogIndex;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The message log on a store that is torn, full, slow, wrong, fails or loses segments.
///
/// A message whose group was committed is there after any crash. When the disk lost or changed it, that is told.
class FaultyStoreTest {
    private static final int SEGMENT_BYTES = 4_000;
    private static final int LIVES = 5;
    private static final int GROUPS = 12;
    private static final Position END = new Position(Long.MAX_VALUE, 0);

    @TempDir
    Path spool;
    private final long seed = Long.getLong("slipstream.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final MemoryStore.Disk disk = new MemoryStore.Disk();
    private byte[] kept = {};
    /// Contents of messages that were committed, and of those whose clients heard of an error.
    private final Map<Long, byte[]> safe = new TreeMap<>();
    private final Map<Long, byte[]> refused = new HashMap<>();
    /// Where the octets begin that were not committed at a crash. A start may say of them that they are damaged.
    private final Map<Long, Integer> torn = new HashMap<>();
    private Position known = Position.START;
    private long lastId = 1_000;

    private Segments open() throws IOException {
        Segments log = new Segments(MemoryStore.claim(disk), new OwnFiles(spool), spool, SEGMENT_BYTES);
        log.startAfter(known);
        return log;
    }

    private static NewMessage message(long id, byte[] body) {
        Envelope envelope = Envelope.of(Optional.empty(), List.of(Address.of("bob@example.net")));
        return new NewMessage(new QueueId(id), 5_000 + id, envelope, EnvelopeCodec.encode(envelope), Optional.empty(),
                new NewMessage.Inline(body, body.length));
    }

    /// @return whether the group is safe
    private boolean group(MessageLog log) {
        Map<Long, byte[]> bodies = new TreeMap<>();
        try {
            for (int i = random.nextInt(4); i >= 0; i--) {
                byte[] body = new byte[random.nextInt(1_500)];
                random.nextBytes(body);
                bodies.put(++lastId, body);
                log.append(message(lastId, body));
            }
            log.append(List.of(new LogRecord.NextAttempt(new QueueId(lastId), 7)));
            log.sync();
        } catch (IOException e) {
            log.abandon();
            refused.putAll(bodies);
            return false;
        }
        safe.putAll(bodies);
        known = log.end();
        return true;
    }

    private void fault() {
        disk.keepsFailed = random.nextBoolean();
        switch (random.nextInt(12)) {
            case 0 -> disk.room = random.nextInt(3_000);
            case 1 -> disk.failsBefore = true;
            case 2 -> disk.failsAfter = true;
            default -> {
                // The disk is sound.
            }
        }
    }

    /// No sync makes hints durable, so they can be of any age.
    private void spoilHints() {
        if (disk.hints.isEmpty()) {
            return;
        }
        List<Long> segments = List.copyOf(disk.hints.keySet());
        long segment = segments.get(random.nextInt(segments.size()));
        byte[] bytes = disk.hints.get(segment).clone();
        switch (random.nextInt(5)) {
            case 0 -> disk.hints.remove(segment);
            case 1 -> disk.hints.put(segment, java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
            case 2 -> {
                if (bytes.length > 0) {
                    bytes[random.nextInt(bytes.length)] ^= 1;
                }
                disk.hints.put(segment, bytes);
            }
            case 3 -> ofAnotherLog(segment);
            default -> kept = disk.hints.firstEntry().getValue();
        }
        if (kept.length > 0 && random.nextInt(3) == 0) {
            disk.hints.put(segment, kept);
        }
    }

    /// As in a folder that was put back from a backup.
    private void ofAnotherLog(long number) {
        Hints other = new Hints(MemoryStore.claim(disk), number, random.nextLong());
        NewMessage message = message(900_000, new byte[10]);
        other.add(LogRecord.Stored.of(message, new RecordPlace(number, RecordFormat.SEGMENT_HEADER, false), false),
                RecordFormat.SEGMENT_HEADER);
        other.synced(disk.size(number));
        other.write();
    }

    private record Found(Map<Long, RecordPlace> messages, Set<MessageLog.ScannedRecord> damage) {}

    private static Found scan(MessageLog log) throws IOException {
        Found found = new Found(new TreeMap<>(), new HashSet<>());
        log.scan(Position.START, END, each -> {
            switch (each) {
                case MessageLog.ScannedRecord.Sound(LogRecord.Stored stored, Position _) ->
                    found.messages().put(stored.id().value(), stored.place());
                case MessageLog.ScannedRecord.Sound _,MessageLog.ScannedRecord.Torn _ -> {
                    // Not a message, or one without a 250.
                }
                default -> found.damage().add(each);
            }
        });
        return found;
    }

    private void requireContents(MessageLog log, Map<Long, RecordPlace> messages) throws IOException {
        for (Map.Entry<Long, RecordPlace> each : messages.entrySet()) {
            byte[] body = safe.getOrDefault(each.getKey(), refused.get(each.getKey()));
            assertThat(body).as("message %d, seed %d", each.getKey(), seed).isNotNull();
            assertThat(log.content(new QueueId(each.getKey()), each.getValue(), body.length, () -> {}).open()
                    .readAllBytes()).as("message %d, seed %d", each.getKey(), seed).isEqualTo(body);
        }
    }

    /// By the hints, where there are some.
    private static Set<Long> told(MessageLog log) throws IOException {
        Set<Long> told = new HashSet<>();
        log.changes(Position.START, new LogChanges() {
            @Override
            public void stored(long id, RecordPlace place, long sizeBytes, long dueMillis, long notBeforeMillis) {
                told.add(id);
            }

            @Override
            public void lost(long id, RecordPlace place, long sizeBytes, Position at) {
                throw new AssertionError();
            }

            @Override
            public void told(long id, Position at) {
                throw new AssertionError();
            }

            @Override
            public void nextAttempt(long id, long atMillis) {
                // Only messages are compared.
            }

            @Override
            public void removed(long id) {
                throw new AssertionError();
            }

            @Override
            public void changed(LogRecord record) {
                throw new AssertionError();
            }
        });
        return told;
    }

    private void live() throws IOException {
        for (int life = 0; life < LIVES; life++) {
            long before = lastId;
            try (Segments log = open()) {
                assertThat(log.gaps()).as("seed %d", seed).isEmpty();
                Found found = scan(log);
                assertThat(found.damage()).as("seed %d, torn %s", seed, torn).allMatch(
                        each -> each instanceof MessageLog.ScannedRecord.Damaged(long segment, long offset, long _, String _)
                                && offset >= torn.getOrDefault(segment, Integer.MAX_VALUE));
                assertThat(found.messages().keySet()).as("seed %d", seed).containsAll(safe.keySet());
                requireContents(log, found.messages());
                assertThat(told(log)).as("by hints, seed %d", seed).isEqualTo(found.messages().keySet());
                for (int i = 0; i < GROUPS; i++) {
                    fault();
                    if (!group(log)) {
                        disk.healthy();
                    }
                }
                Set<Long> now = scan(log).messages().keySet();
                assertThat(now).as("without what was refused now, seed %d", seed).containsAll(safe.keySet())
                        .noneMatch(id -> id > before && refused.containsKey(id));
                assertThat(told(log)).as("by hints, seed %d", seed).isEqualTo(now);
                if (random.nextBoolean()) {
                    // Inside a group.
                    disk.healthy();
                    refused.put(++lastId, new byte[900]);
                    log.append(message(lastId, refused.get(lastId)));
                    disk.room = 100;
                    assertThatThrownBy(() -> log.append(message(++lastId, new byte[2 << 20])))
                            .isInstanceOf(IOException.class);
                    refused.put(lastId, new byte[2 << 20]);
                }
                disk.crash(random, torn::putIfAbsent);
            }
            spoilHints();
        }
    }

    /// A log of 5 lives, cut off at any place.
    @RepeatedTest(60)
    void aCommittedMessageIsThereAfterAnyCrash() throws Exception {
        live();
        assertThat(safe).hasSizeGreaterThan(20);
    }

    @RepeatedTest(60)
    void aMessageThatTheDiskLostOrChangedIsTold() throws Exception {
        live();
        Set<MessageLog.ScannedRecord> before;
        try (Segments log = open()) {
            before = scan(log).damage();
        }
        List<Long> segments = new ArrayList<>(disk.segments());
        long hit = segments.get(random.nextInt(segments.size()));
        int at = random.nextInt(disk.size(hit));
        int kind = random.nextInt(3);
        switch (kind) {
            case 0 -> disk.lose(hit, 0);
            case 1 -> disk.lose(hit, at);
            default -> disk.flip(hit, at, random.nextInt(8));
        }
        try (Segments log = open()) {
            Found found = scan(log);
            requireContents(log, found.messages());
            if (kind < 2) {
                assertThat(told(log)).as("no hints behind the end, seed %d", seed)
                        .isEqualTo(found.messages().keySet());
            }
            Set<Long> missing = new HashSet<>(safe.keySet());
            missing.removeAll(found.messages().keySet());
            found.damage().removeAll(before);
            assertThat(missing.isEmpty() || !found.damage().isEmpty() || !log.gaps().isEmpty())
                    .as("told what became of %s in segment %d at %d, seed %d", missing, hit, at, seed).isTrue();
        }
    }

    /// Clients wait for the disk; views do not.
    @Test
    void aSlowCommitHoldsUpNoReader() throws Exception {
        CountDownLatch inCommit = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        try (Segments log = open()) {
            assertThat(group(log)).isTrue();
            Set<Long> before = Set.copyOf(safe.keySet());
            disk.atCommit = () -> {
                inCommit.countDown();
                try {
                    answer.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            };
            Thread writer = Thread.ofPlatform().start(() -> group(log));
            inCommit.await();
            assertThat(told(log)).as("before the commit ends").isEqualTo(before);
            assertThat(log.gaps()).isEmpty();
            answer.countDown();
            writer.join();
            assertThat(told(log)).isEqualTo(safe.keySet()).hasSizeGreaterThan(before.size());
        }
    }

    /// A node that stood still finds no segments that the owner has delivered and deleted.
    @Test
    void aFormerOwnerSetsNothingAside() throws Exception {
        DueQuery all = new DueQuery(QueueName.INCOMING, Long.MAX_VALUE / 2, 100, 0, Long.MAX_VALUE);
        try (Segments former = open()) {
            former.append(message(++lastId, new byte[10]));
            former.sync();
            LogIndex queue = new LogIndex(former, 1_000);
            assertThat(queue.due(all).messages()).isNotEmpty();
            try (Segments owner = open()) {
                for (long segment : former.segments()) {
                    owner.delete(segment);
                }
                assertThatThrownBy(() -> queue.due(all)).hasStackTraceContaining("another owner");
            }
        }
    }

    /// The former owner's disk hung, and the log was opened by another one meanwhile.
    @Test
    void aFormerOwnerAcknowledgesNothing() throws Exception {
        try (Segments former = open()) {
            assertThat(group(former)).isTrue();
            Map<Long, byte[]> kept = Map.copyOf(safe);
            former.append(message(++lastId, new byte[10]));
            try (Segments owner = open()) {
                assertThatThrownBy(former::sync).isInstanceOf(NotOwnerException.class);
                former.abandon();
                assertThat(group(former)).isFalse();
                assertThat(group(owner)).isTrue();
                Found found = scan(owner);
                assertThat(found.damage()).isEmpty();
                assertThat(found.messages().keySet()).containsAll(kept.keySet()).containsAll(safe.keySet())
                        .doesNotContainAnyElementsOf(refused.keySet());
            }
        }
    }

    @Test
    void aMissingSegmentIsDamageOfItsMessages() throws Exception {
        try (Segments log = open()) {
            assertThat(group(log)).isTrue();
            RecordPlace place = scan(log).messages().get(lastId);
            disk.lose(place.segment(), 0);
            List<String> damaged = new ArrayList<>();
            assertThatThrownBy(() -> log.content(new QueueId(lastId), place, 1, () -> damaged.add("damaged")).open())
                    .isInstanceOf(NoSuchFileException.class);
            assertThat(damaged).hasSize(1);
        }
    }
}
