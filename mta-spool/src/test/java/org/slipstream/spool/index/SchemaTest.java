package org.slipstream.spool.index;

import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class SchemaTest {
    private static final String SETTINGS = ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH";

    @TempDir
    Path directory;

    private static Flyway flyway(String url) {
        return Flyway.configure().dataSource(url, "sa", "").locations("classpath:db/migration").load();
    }

    @Test
    void aNewIndexIsWhatFlywayWouldHaveMadeAndFlywayGoesOnBehindIt() throws Exception {
        IndexDatabase.open(directory, 1).close();
        String made = "jdbc:h2:file:" + directory.toAbsolutePath().resolve("register") + SETTINGS;
        String migrated = "jdbc:h2:mem:migrated;DB_CLOSE_DELAY=-1" + SETTINGS;
        assertThat(flyway(migrated).migrate().migrationsExecuted).isPositive();
        assertThat(columns(made)).isEqualTo(columns(migrated)).hasSizeGreaterThan(40);
        assertThat(indexes(made)).isEqualTo(indexes(migrated)).isNotEmpty();
        assertThat(flyway(made).migrate().migrationsExecuted).isZero();
        assertThat(flyway(made).info().current().getVersion().getVersion())
                .isEqualTo(Integer.toString(IndexDatabase.SCHEMA_VERSION));
    }

    private static List<String> columns(String url) throws SQLException {
        return ask(url, "select table_name, column_name, data_type, is_nullable, column_default"
                + " from information_schema.columns where table_schema = 'public'"
                + " and table_name <> 'flyway_schema_history' order by 1, 2");
    }

    private static List<String> indexes(String url) throws SQLException {
        return ask(url,
                "select table_name, column_name, ordinal_position, is_unique from information_schema.index_columns"
                        + " where table_schema = 'public' and table_name <> 'flyway_schema_history' order by 1, 2, 3, 4");
    }

    private static List<String> ask(String url, String query) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (var connection = DriverManager.getConnection(url, "sa", "");
                var statement = connection.createStatement();
                var found = statement.executeQuery(query)) {
            while (found.next()) {
                StringBuilder row = new StringBuilder();
                for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
                    row.append(found.getString(i)).append(' ');
                }
                rows.add(row.toString());
            }
        }
        return rows;
    }
}
