package org.slipstream.spool.log;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.spool.postgres.LogClaim;
import org.slipstream.spool.postgres.LogDatabase;
import org.slipstream.spool.postgres.PageStore;
import org.slipstream.spool.postgres.Postgres;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Contents in rows, and the log above pages that the database lost or changed.
class ContentRowsTest extends LargeContentsContract {
    private static LogDatabase database;
    private static int shards;

    @TempDir
    Path spool;
    private final int shard = ++shards;

    @BeforeAll
    static void open() throws Exception {
        database = LogDatabase.open(Postgres.database());
    }

    @AfterAll
    static void close() {
        database.close();
    }

    private PageStore store() throws IOException {
        long epoch = PageStore.claim(database, shard, "a", Duration.ofMinutes(1));
        return PageStore.open(new LogClaim(database, shard, epoch), Duration.ZERO, () -> {});
    }

    @Override
    LargeContents contents() throws IOException {
        return store().contents();
    }

    private Segments log() throws IOException {
        PageStore store = store();
        Segments log = new Segments(store, store.contents(), spool, 100_000);
        log.startAfter(Position.START);
        return log;
    }

    private static void sql(String statement) throws SQLException {
        database.transaction(on -> {
            try (Statement run = on.createStatement()) {
                return run.execute(statement);
            }
        });
    }

    private static NewMessage message(long id, NewMessage.ContentForm content) {
        Envelope envelope = Envelope.of(Optional.empty(), List.of(Address.of("bob@example.net")));
        return new NewMessage(new QueueId(id), 5_000 + id, envelope, EnvelopeCodec.encode(envelope), Optional.empty(),
                content);
    }

    private static NewMessage large(Segments log, long id) throws IOException {
        try (LargeContent content = log.ownFile(new QueueId(id))) {
            content.write(new byte[3_000_000], 0, 3_000_000);
            return message(id, content.finish());
        }
    }

    /// A standby that took over lacks rows that the former primary had not sent.
    @Test
    void aContentWithMissingRowsIsNotAcknowledged() throws Exception {
        try (Segments log = log()) {
            NewMessage lost = large(log, 1);
            sql("delete from content where shard = " + shard + " and part = 2");
            log.append(lost);
            assertThatThrownBy(log::sync).isInstanceOf(IOException.class).hasMessageContaining("are missing");
            log.abandon();
            log.deleteOwnFile(new QueueId(1));
            log.append(large(log, 2));
            log.sync();
            assertThat(log.ownFiles()).containsExactly(new QueueId(2));
        }
    }

    @Test
    void aContentThatChangedOrIsGoneIsTold() throws Exception {
        List<String> told = new ArrayList<>();
        try (Segments log = log()) {
            NewMessage message = large(log, 1);
            RecordPlace place = log.append(message);
            log.sync();
            assertThat(log.content(message.id(), place, 3_000_000, () -> told.add("damaged")).source()).isEmpty();
            assertThat(log.content(message.id(), place, 3_000_000, () -> told.add("damaged")).open().readAllBytes())
                    .hasSize(3_000_000);
            assertThat(told).isEmpty();
            sql("update content set bytes = set_byte(bytes, 4711, 1) where shard = " + shard + " and part = 1");
            assertThatThrownBy(() -> log.content(message.id(), place, 3_000_000, () -> told.add("damaged")).open()
                    .readAllBytes()).isInstanceOf(DamagedMessageException.class);
            sql("delete from content where shard = " + shard);
            assertThatThrownBy(() -> log.content(message.id(), place, 3_000_000, () -> told.add("damaged")).open())
                    .isInstanceOf(IOException.class);
            assertThat(told).hasSize(2);
        }
    }

    /// Any page is lost or changed, or a segment, or all pages of a table.
    @RepeatedTest(6)
    void aMessageThatTheDatabaseLostOrChangedIsTold() throws Exception {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        Set<Long> safe = new HashSet<>();
        try (Segments log = log()) {
            for (long id = 1; id <= 30; id++) {
                byte[] body = new byte[random.nextInt(30_000)];
                log.append(message(id, new NewMessage.Inline(body, body.length)));
                safe.add(id);
                if (random.nextBoolean()) {
                    log.sync();
                }
            }
            log.sync();
        }
        String table = "page_" + shard + "_0";
        String any = " where (segment, at) = (select segment, at from " + table + " order by random() limit 1)";
        switch (random.nextInt(4)) {
            case 0 -> sql("delete from " + table + any);
            case 1 -> sql("update " + table + " set bytes = set_byte(bytes, octet_length(bytes) / 2,"
                    + " get_byte(bytes, octet_length(bytes) / 2) # 255)" + any);
            case 2 ->
                sql("delete from segment where (shard, number) = (select shard, number from segment where shard = "
                        + shard + " order by random() limit 1)");
            default -> sql("truncate " + table);
        }
        Set<Long> found = new HashSet<>();
        List<MessageLog.ScannedRecord> damage = new ArrayList<>();
        try (Segments log = log()) {
            log.scan(Position.START, new Position(Long.MAX_VALUE, 0), each -> {
                if (each instanceof MessageLog.ScannedRecord.Sound(LogRecord.Stored stored, Position _)) {
                    found.add(stored.id().value());
                } else if (!(each instanceof MessageLog.ScannedRecord.Sound)) {
                    damage.add(each);
                }
            });
            assertThat(found.equals(safe) || !damage.isEmpty() || !log.gaps().isEmpty())
                    .as("told what became of the others of %s, seed %d", found, seed).isTrue();
        }
    }
}
