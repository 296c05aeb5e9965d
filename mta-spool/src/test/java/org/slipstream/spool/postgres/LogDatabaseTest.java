package org.slipstream.spool.postgres;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LogDatabaseTest {
    private static String url;

    @BeforeAll
    static void anEmptyDatabase() throws Exception {
        url = Postgres.database();
    }

    private static int update(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    @Test
    void nodesThatStartTogetherMakeTheSchemaOnce() throws Exception {
        try (ExecutorService nodes = Executors.newFixedThreadPool(3)) {
            Future<?>[] opened = new Future<?>[3];
            for (int i = 0; i < opened.length; i++) {
                opened[i] = nodes.submit(() -> {
                    LogDatabase.open(url).close();
                    return true;
                });
            }
            for (Future<?> each : opened) {
                each.get();
            }
        }
        try (LogDatabase database = LogDatabase.open(url)) {
            int made = database.transaction(on -> update(on, "insert into shard (number) values (7)"));
            assertThat(made).isEqualTo(1);
            assertThatThrownBy(() -> database.transaction(on -> {
                update(on, "delete from shard");
                return update(on, "insert into shard (number) values ('no number')");
            })).isInstanceOf(SQLException.class).isNotInstanceOf(CommitInDoubtException.class);
            int left = database.transaction(on -> update(on, "update shard set epoch = 1 where number = 7"));
            assertThat(left)
                    .as("the failed one was rolled back").isEqualTo(1);
        }
    }

    @Test
    void aNewerSchemaIsLeftAlone() throws Exception {
        String newer = Postgres.database();
        try (LogDatabase database = LogDatabase.open(newer)) {
            database.transaction(on -> update(on, "insert into version values (99)"));
        }
        assertThatThrownBy(() -> LogDatabase.open(newer)).hasMessageContaining("has version 99");
    }

    @Test
    void aLookMakesNoSchema() throws Exception {
        try (LogDatabase database = LogDatabase.toLook(Postgres.database())) {
            assertThatThrownBy(() -> database.read(on -> update(on, "delete from shard")))
                    .isInstanceOf(SQLException.class);
        }
    }
}
