package org.slipstream.spool;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// An operator replaces the database of a shared index by an empty one while the server runs.
class EmptyDatabaseTest {
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
            try (var operator = DriverManager.getConnection(url); var statement = operator.createStatement()) {
                statement.execute("drop schema public cascade");
                statement.execute("create schema public");
            }
            QueueId after = TestMessages.commit(spool, "eve@example.net", TestMessages.body(100, 3));
            List<Spool.Details> listed = Awaitility.await().atMost(Duration.ofSeconds(20))
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> spool.list(Optional.empty(), 10), all -> all.size() == 2);
            assertThat(listed).extracting(each -> each.summary().id()).containsExactly(deferred, after);
            assertThat(listed.getFirst().nextAttemptMillis()).as("its state is in the log").isEqualTo(42);
            assertThat(spool.troubles()).isEmpty();
        }
    }
}
