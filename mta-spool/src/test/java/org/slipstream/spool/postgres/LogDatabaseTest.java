package org.slipstream.spool.postgres;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
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

    @Test
    void whatEndangersCommitsIsTold() {
        List<String> sound = List.of("on", "on", "on");
        assertThat(LogDatabase.danger(sound, "ANY 1 (a, b)", 1, 0)).isEmpty();
        assertThat(LogDatabase.danger(sound, "", 0, 1)).hasValueSatisfying(
                each -> assertThat(each).startsWith("one copy"));
        assertThat(LogDatabase.danger(sound, "ANY 1 (a, b)", 0, 2)).hasValueSatisfying(
                each -> assertThat(each).contains("grant this user pg_monitor"));
        assertThat(LogDatabase.danger(sound, "ANY 1 (a, b)", 0, 0)).hasValueSatisfying(
                each -> assertThat(each).contains("ANY 1 (a, b)"));
        assertThat(LogDatabase.danger(List.of("on", "off", "on"), "a", 1, 0)).hasValueSatisfying(
                each -> assertThat(each).contains("full_page_writes is off"));
        assertThat(LogDatabase.danger(List.of("on", "on", "local"), "a", 1, 0)).hasValueSatisfying(
                each -> assertThat(each).contains("synchronous_commit is local"));
    }
}
