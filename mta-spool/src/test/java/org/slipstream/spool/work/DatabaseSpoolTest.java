package org.slipstream.spool.work;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.LogEngine;
import org.slipstream.spool.MovedCopies;
import org.slipstream.spool.MovingMessage;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.postgres.Postgres;
import org.slipstream.spool.tools.SpoolTools;
import org.slipstream.spool.work.Moving.Known;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/// A spool whose log is in PostgreSQL, beside one whose log is in files.
class DatabaseSpoolTest {
    private static final Outcome BUSY = Outcome.of(Reply.of(451, "4.3.2", "later"), "mx.example.net");
    private static String database;

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();

    @BeforeAll
    static void start() throws Exception {
        database = Postgres.database();
    }

    @BeforeEach
    void empty() throws Exception {
        sql("drop schema if exists slipstream cascade");
    }

    private static void sql(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    private SpoolConfig config(String name, LogEngine engine) {
        return config(name, engine, database);
    }

    private SpoolConfig config(String name, LogEngine engine, String url) {
        SpoolConfig defaults = SpoolConfig.at(directory.resolve(name));
        return new SpoolConfig(defaults.directory(), engine, Optional.of(url), defaults.databaseLost(),
                defaults.segmentSize(),
                defaults.inlineSize(), defaults.minimumFree());
    }

    private Spool open(String name, LogEngine engine) throws SpoolException {
        return world.openMade(config(name, engine));
    }

    /// A large message that was tried.
    private static QueueId tried(Spool spool) throws Exception {
        QueueId id = TestMessages.commit(spool, TestMessages.richEnvelope(), TestMessages.body(400_000, 5)).id();
        TestMessages.done(then -> spool.record(id, List.of(new RecipientOutcome(2, BUSY)), true, then));
        return id;
    }

    /// From one machine into the database, and back.
    @Test
    void mailMovesFromFilesToTheDatabaseAndBack() throws Exception {
        QueueId id;
        Known known;
        try (Spool files = open("files", LogEngine.FILES); Spool pages = open("pages", LogEngine.POSTGRESQL)) {
            id = tried(files);
            known = Known.of(files, id);
            Moving.move(files, pages, id);
            assertThat(files.counts().messages()).isZero();
        }
        // The index is lost with the machine.
        Files.delete(directory.resolve("pages/index.mv.db"));
        try (Spool files = open("files", LogEngine.FILES); Spool pages = open("pages", LogEngine.POSTGRESQL)) {
            assertThat(Known.of(pages, id)).isEqualTo(known);
            Moving.move(pages, files, id);
        }
        try (Spool files = open("files", LogEngine.FILES); Spool pages = open("pages", LogEngine.POSTGRESQL)) {
            assertThat(Known.of(files, id)).isEqualTo(known);
            assertThat(pages.counts().messages()).isZero();
        }
    }

    /// The process ends when the copy is there and the original was not removed. Each direction.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMoveThatIsCutOffLeavesOneMessage(boolean intoFiles) throws Exception {
        LogEngine engine = intoFiles ? LogEngine.POSTGRESQL : LogEngine.FILES;
        LogEngine other = intoFiles ? LogEngine.FILES : LogEngine.POSTGRESQL;
        QueueId id;
        Known known;
        try (Spool from = open("from", engine); Spool to = open("to", other)) {
            id = tried(from);
            known = Known.of(from, id);
            MovingMessage message = Moving.ready(from, id, OptionalLong.empty());
            assertThat(Moving.take(to, message)).isEmpty();
        }
        try (Spool from = open("from", engine); Spool to = open("to", other)) {
            MovedCopies.sweep(1, from, List.of(to));
            assertThat(from.details(id).isPresent()).isNotEqualTo(to.details(id).isPresent());
            assertThat(Known.of(to.details(id).isPresent() ? to : from, id)).isEqualTo(known);
        }
    }

    @Test
    void aSpoolKeepsThePlaceOfItsLog() throws Exception {
        QueueId inFiles;
        QueueId inPages;
        try (Spool files = open("files", LogEngine.FILES); Spool pages = open("pages", LogEngine.POSTGRESQL)) {
            inFiles = TestMessages.commit(files, "bob@example.net", new byte[10]);
            inPages = TestMessages.commit(pages, "bob@example.net", new byte[10]);
        }
        assertThat(directory.resolve("pages/log/0000000001.segment")).doesNotExist();
        try (Spool files = open("files", LogEngine.POSTGRESQL); Spool pages = open("pages", LogEngine.FILES)) {
            assertThat(files.details(inFiles)).isPresent();
            assertThat(pages.details(inPages)).isPresent();
        }
    }

    @Test
    void theToolsOfAStoppedServerReadTheDatabase() throws Exception {
        SpoolConfig config = config("pages", LogEngine.POSTGRESQL);
        QueueId id;
        try (Spool spool = world.open(config)) {
            id = tried(spool);
            TestMessages.commit(spool, "bob@example.net", TestMessages.body(900, 1));
        }
        assertThat(SpoolTools.verify(config, world.clock::millis).findings()).isEmpty();
        assertThat(SpoolTools.export(config, world.clock::millis, directory.resolve("out")).records()).isEqualTo(2);
        sql("update slipstream.content set bytes = set_byte(bytes, 4711, 1)");
        assertThat(SpoolTools.verify(config, world.clock::millis).findings()).singleElement().asString()
                .contains(id.toString());
        assertThat(SpoolTools.repair(config, world.clock::millis).queued()).isEqualTo(2);
    }

    @Test
    void aSecondServerIsRefusedUntilTheFirstHasEnded() throws Exception {
        try (Spool first = open("first", LogEngine.POSTGRESQL)) {
            TestMessages.commit(first, "bob@example.net", new byte[10]);
            assertThatThrownBy(() -> open("second", LogEngine.POSTGRESQL)).isInstanceOfSatisfying(SpoolException.class,
                    refused -> assertThat(refused.reason()).isEqualTo(SpoolException.Reason.IN_USE))
                    .hasMessageContaining("another server owns");
        }
        try (Spool second = open("second", LogEngine.POSTGRESQL)) {
            assertThat(second.counts().messages()).isEqualTo(1);
        }
    }

    @Test
    void anotherDatabaseIsNotTakenForAnEmptyQueue() throws Exception {
        try (Spool spool = open("pages", LogEngine.POSTGRESQL)) {
            TestMessages.commit(spool, "bob@example.net", new byte[10]);
            assertThat(spool.counts().messages()).isEqualTo(1);
        }
        String other = Postgres.database();
        assertThatThrownBy(() -> world.open(config("pages", LogEngine.POSTGRESQL, other)))
                .isInstanceOf(SpoolException.class).hasMessageContaining("correct spool.database");
        try (Spool spool = open("pages", LogEngine.POSTGRESQL)) {
            assertThat(spool.counts().messages()).isEqualTo(1);
        }
    }

    /// The database refuses each write for a time, and then takes them again.
    @Test
    void withoutTheDatabaseClientsComeAgainAndOutcomesAreKept() throws Exception {
        try (Spool spool = open("pages", LogEngine.POSTGRESQL)) {
            QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[10]);
            sql("alter table slipstream.shard rename to shard_away");
            assertThatThrownBy(() -> TestMessages.commit(spool, "ann@example.net", new byte[10]))
                    .hasMessageContaining("the database of the message log");
            assertThat(spool.troubles()).anyMatch(each -> each.what() == Spool.What.LOG);
            CompletableFuture<Void> removed = new CompletableFuture<>();
            spool.remove(id, () -> removed.complete(null));
            sql("alter table slipstream.shard_away rename to shard");
            removed.join();
            await().until(() -> spool.troubles().stream().noneMatch(each -> each.what() == Spool.What.LOG));
            assertThat(spool.counts().messages()).isZero();
        }
    }

    private static String danger(Spool spool) {
        return spool.troubles().stream().filter(each -> each.what() == Spool.What.COPIES).map(Spool.Trouble::reason)
                .findFirst().orElse("");
    }

    @Test
    void whatEndangersCommitsIsATrouble() throws Exception {
        try (Spool spool = open("pages", LogEngine.POSTGRESQL)) {
            assertThat(danger(spool)).contains("fsync is off");
        }
    }
}
