package org.slipstream.spool.log;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/// Readers of the changes at any pace, while the log is written, rolls over and fails.
class ChangesTest {
    private static final int READERS = 4;

    @TempDir
    Path spool;
    private final long seed = Long.getLong("slipstream.seed", System.nanoTime());
    private final Random random = new Random(seed);

    private static final class Reader implements LogChanges {
        final List<String> told = new ArrayList<>();
        Position reached = Position.START;

        void read(MessageLog log) throws IOException {
            reached = log.changes(reached, this);
        }

        @Override
        public void stored(long id, RecordPlace place, long sizeBytes, long dueMillis, long notBeforeMillis) {
            told.add("stored " + id + " " + place);
        }

        @Override
        public void lost(long id, RecordPlace place, long sizeBytes, Position at) {
            told.add("lost " + id + " " + at);
        }

        @Override
        public void told(long id, Position at) {
            told.add("told " + id + " " + at);
        }

        @Override
        public void nextAttempt(long id, long atMillis) {
            told.add("next " + id + " " + atMillis);
        }

        @Override
        public void removed(long id) {
            told.add("removed " + id);
        }

        @Override
        public void changed(LogRecord record) {
            told.add(record.toString());
        }
    }

    private NewMessage message(long id) {
        Envelope envelope = Envelope.of(Optional.empty(), List.of(Address.of("bob@example.net")));
        byte[] body = new byte[random.nextInt(3_000)];
        return new NewMessage(new QueueId(id), 5_000 + id, envelope, EnvelopeCodec.encode(envelope), Optional.empty(),
                new NewMessage.Inline(body, body.length));
    }

    private LogRecord record(long id, int number) {
        return switch (random.nextInt(4)) {
            case 0 -> new LogRecord.NextAttempt(new QueueId(id), number);
            case 1 -> new LogRecord.Remove(new QueueId(id));
            case 2 -> new LogRecord.Attempts(new QueueId(id), number);
            default -> new LogRecord.Hold(new QueueId(id), random.nextBoolean());
        };
    }

    private void group(MessageLog log, int number) throws IOException {
        for (int i = random.nextInt(3); i >= 0; i--) {
            log.append(message(1_000L + 10L * number + i));
        }
        List<LogRecord> records = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            records.add(record(1_000 + random.nextInt(10 * number + 1), number));
        }
        if (!records.isEmpty()) {
            log.append(records);
        }
    }

    /// A reader that is told a removal again deletes the content of a message that came back.
    @RepeatedTest(5)
    void everyChangeIsToldOnceAndInOrder() throws Exception {
        List<Reader> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            readers.add(new Reader());
        }
        try (Segments log = new Segments(spool, 20_000)) {
            log.startAfter(Position.START);
            for (int number = 1; number <= 150; number++) {
                group(log, number);
                if (random.nextInt(5) == 0) {
                    readers.get(random.nextInt(READERS)).read(log);
                }
                if (random.nextInt(20) == 0) {
                    log.abandon();
                } else {
                    log.sync();
                }
                readers.get(random.nextInt(READERS)).read(log);
            }
            Reader fresh = new Reader();
            fresh.read(log);
            assertThat(fresh.told).as("seed %d", seed).hasSizeGreaterThan(150);
            for (Reader reader : readers) {
                reader.read(log);
                assertThat(reader.told).as("seed %d", seed).isEqualTo(fresh.told);
                assertThat(reader.reached).as("seed %d", seed).isEqualTo(fresh.reached);
            }
        }
        try (Segments log = new Segments(spool, 20_000)) {
            Reader later = new Reader();
            later.read(log);
            assertThat(later.told).as("the next start, seed %d", seed).isEqualTo(readers.getFirst().told);
        }
    }
}
