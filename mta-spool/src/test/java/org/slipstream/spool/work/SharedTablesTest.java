package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.index.IndexDatabase;
import org.slipstream.spool.postgres.Postgres;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/// Tables of a shared index: of no version, of another one, and of another program.
class SharedTablesTest {
    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();

    @Test
    void theTablesAndTheIndexAreMadeAgainFromTheLogWithoutAStart() throws Exception {
        String url = Postgres.database();
        world.database = Optional.of(url);
        try (Spool spool = world.open(directory)) {
            QueueId deferred = TestMessages.commit(spool, "bob@example.net", TestMessages.body(100, 1));
            QueueId finished = TestMessages.commit(spool, "bob@example.net", TestMessages.body(100, 2));
            TestMessages.done(then -> spool.defer(deferred, 42, then));
            assertThat(spool.counts().messages()).isEqualTo(2);
            TestMessages.done(then -> spool.remove(finished, then));
            change(url, "drop schema public cascade", "create schema public");
            QueueId after = TestMessages.commit(spool, "eve@example.net", TestMessages.body(100, 3));
            List<MessageDetails> listed = Awaitility.await().atMost(Duration.ofSeconds(20))
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> spool.list(Optional.empty(), 10), all -> all.size() == 2);
            assertThat(listed).extracting(each -> each.summary().id()).containsExactly(deferred, after);
            assertThat(listed.getFirst().nextAttemptMillis()).as("its state is in the log").isEqualTo(42);
            assertThat(spool.troubles()).isEmpty();
        }
    }

    /// Two shards of a server, each with a schema and a lock of its own.
    @Test
    void shardsShareADatabaseAndNoTable() throws Exception {
        String url = Postgres.database();
        Path other = directory.resolve("other");
        TestWorld second = new TestWorld();
        world.database = Optional.of(IndexDatabase.ofShard(url, 1));
        second.database = Optional.of(
                IndexDatabase.ofShard(url + (url.contains("?") ? "&" : "?") + "currentSchema=public", 64));
        QueueId one;
        QueueId two;
        try (Spool first = world.open(directory.resolve("one")); Spool last = second.open(other)) {
            one = TestMessages.commit(first, "bob@example.net", TestMessages.body(100, 1));
            two = TestMessages.commit(last, "bob@example.net", TestMessages.body(100, 2));
            assertThat(first.list(Optional.empty(), 10)).extracting(each -> each.summary().id()).containsExactly(one);
            assertThat(last.list(Optional.empty(), 10)).extracting(each -> each.summary().id()).containsExactly(two);
            assertThat(catchThrowableOfType(SpoolException.class, () -> second.open(directory.resolve("third"))))
                    .as("one server only").hasMessageContaining("another server");
            change(url, "drop schema slipstream_shard_64 cascade");
            Awaitility.await().atMost(Duration.ofSeconds(20)).ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> last.list(Optional.empty(), 10).size() == 1);
        }
        try (Spool last = second.open(other)) {
            assertThat(last.list(Optional.empty(), 10)).extracting(each -> each.summary().id()).containsExactly(two);
        }
        try (Spool first = world.open(directory.resolve("one"))) {
            assertThat(first.list(Optional.empty(), 10)).extracting(each -> each.summary().id()).containsExactly(one);
        }
    }

    private static void change(String url, String... statements) throws SQLException {
        try (var operator = DriverManager.getConnection(url); var statement = operator.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    @Test
    void tablesOfAnotherVersionAreMadeAgainFromTheLog() throws Exception {
        String url = Postgres.database();
        world.database = Optional.of(url);
        try (Spool spool = world.open(directory)) {
            TestMessages.commit(spool, "bob@example.net", TestMessages.body(100, 1));
        }
        change(url, "update index_schema set version = 3", "alter table message drop column priority");
        try (Spool spool = world.open(directory)) {
            assertThat(spool.list(Optional.empty(), 10)).hasSize(1);
        }
    }

    @Test
    void aDatabaseOfAnotherProgramIsRefusedAndNotTouched() throws Exception {
        String url = Postgres.database();
        world.database = Optional.of(url);
        change(url, "create table message (text varchar)", "insert into message values ('not ours')");
        assertThat(catchThrowableOfType(SpoolException.class, () -> world.open(directory)))
                .hasMessageContaining("tables of another program");
        assertThat(TestWorld.number(DriverManager.getConnection(url), "select count(*) from message")).isEqualTo(1);
    }
}
