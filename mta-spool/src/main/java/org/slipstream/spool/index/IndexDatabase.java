package org.slipstream.spool.index;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.spool.index.UnusableIndexException.Why;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import javax.sql.DataSource;

/// Opens the index in an embedded H2 and migrates its schema.
///
/// Settings of H2 and the reason for each:
///
/// - `DB_CLOSE_ON_EXIT=FALSE`, `DB_CLOSE_DELAY=-1`: the spool closes it in its own order; H2's
///   shutdown hook would race with that.
/// - `MODE=PostgreSQL`: the SQL stays valid for PostgreSQL.
/// - `WRITE_DELAY` and `RETENTION_TIME` stay at their defaults. `WRITE_DELAY=0` does not sync
///   anything; durability comes from `CHECKPOINT SYNC` after each group. A shorter retention lets
///   H2 reuse space that an interrupted write may need.
/// - `MAX_COMPACT_TIME=0`: H2 would rewrite its file at every stop, seconds for a queue of 100,000;
///   [EmbeddedDatabase#stop] decides.
/// - `TRACE_LEVEL_FILE=0`: errors are thrown and logged by the server; no second log beside the
///   data.
///
/// Loading Flyway costs more than opening the database, so it is used only when an older schema has
/// to be migrated.
public final class IndexDatabase {
    /// The version of the newest file in `db/migration`.
    public static final int SCHEMA_VERSION = 16;

    private static final List<String> SCRIPTS = List.of("V1__register", "V2__host", "V3__one_row_until_tried",
            "V4__wishes",
            "V5__in_doubt", "V6__domain_in_order", "V7__incoming", "V8__index_of_the_log", "V11__delay_reports",
            "V12__attempt", "V13__instructions", "V15__origin", "V16__hold");

    private static final Logger LOG = LoggerFactory.getLogger(IndexDatabase.class);
    private static final String HISTORY = "flyway_schema_history";
    private static final String FILE = "register";

    /// Name of the index file in the spool's directory.
    public static final String FILE_NAME = FILE + ".mv.db";

    // H2 compacts the file in the background until this share of it is in use. At the default of 90
    // it worked for minutes after a queue of a million had been filled, and held the store's lock.
    // A start during that time took three times as long.
    private static final String SETTINGS = ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH"
            + ";DB_CLOSE_ON_EXIT=FALSE;DB_CLOSE_DELAY=-1;MAX_COMPACT_TIME=0;AUTO_COMPACT_FILL_RATE=50;TRACE_LEVEL_FILE=0";

    /// Networks drop idle connections after five minutes or later.
    private static final long KEEPALIVE_MILLIS = 120_000;
    private static final int REACH_SECONDS = 10;

    private IndexDatabase() {}

    /// @param directory of the spool; the index is `register.mv.db` in it
    /// @param readers number of threads that read at the same time
    public static QueueIndex open(Path directory, int readers) throws UnusableIndexException {
        return open(directory, "file", readers);
    }

    /// @param fileSystem the one of H2's file systems that holds the file: `file`, or one that
    ///     injects failures
    public static QueueIndex open(Path directory, String fileSystem, int readers) throws UnusableIndexException {
        return open(directory, FILE, fileSystem, readers);
    }

    /// Opens an empty index in memory, for a disk without space. [QueueIndex#makeAgain] moves to the disk.
    public static QueueIndex openInMemory(Path directory, int readers) throws UnusableIndexException {
        return open(directory, EmbeddedDatabase.MEMORY, readers);
    }

    /// Opens an index that is no longer in use, for questions.
    ///
    /// @param file with the ending `.mv.db`
    public static QueueIndex openOld(Path file) throws UnusableIndexException {
        Path real = Path.of(file.toAbsolutePath().toString());
        String name = real.getFileName().toString();
        return open(real.resolveSibling(""), name.substring(0, name.length() - ".mv.db".length()), "file", 1);
    }

    private static QueueIndex open(Path directory, String file, String fileSystem, int readers)
            throws UnusableIndexException {
        EmbeddedDatabase database = new EmbeddedDatabase(fileSystem, path(directory, file), SETTINGS);
        HikariDataSource pool = null;
        try {
            pool = pool(database, readers, 0);
            migrate(pool, pool);
            return new JdbcIndex(database, pool);
        } catch (SQLException | IndexException | RuntimeException e) {
            abandon(database, pool);
            throw unusable(directory, e);
        } catch (UnusableIndexException e) {
            abandon(database, pool);
            throw e;
        }
    }

    /// Opens the index in a PostgreSQL.
    ///
    /// @param url `jdbc:postgresql://host/database?user=…`
    public static QueueIndex openShared(String url, int readers) throws UnusableIndexException {
        SharedDatabase database = SharedDatabase.at(url);
        HikariDataSource pool = null;
        try {
            pool = pool(database, readers, KEEPALIVE_MILLIS);
            migrate(pool, SharedDatabase.patient(url));
            return new JdbcIndex(database, pool);
        } catch (SQLException | IndexException | RuntimeException e) {
            close(pool);
            boolean inUse = e instanceof IndexException
                    && String.valueOf(e.getMessage()).contains(Database.TAKEN);
            throw inUse
                    ? new UnusableIndexException(Why.IN_USE, "The index in " + withoutSecrets(url)
                            + " is in use by another server: stop that one, or give this one a database of its own.", e)
                    : unreachable(url, e);
        } catch (UnusableIndexException e) {
            close(pool);
            throw e;
        }
    }

    /// Connects to the database of a shared index without changing it.
    public static void reach(String url) throws UnusableIndexException {
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.isValid(REACH_SECONDS);
        } catch (SQLException e) {
            throw unreachable(url, e);
        }
    }

    private static UnusableIndexException unreachable(String url, Exception e) {
        return new UnusableIndexException(Why.UNREADABLE, "The index in " + withoutSecrets(url)
                + " cannot be opened (" + root(e) + "): start the database, or correct spool.index.", e);
    }

    private static String withoutSecrets(String url) {
        int parameters = url.indexOf('?');
        return parameters < 0 ? url : url.substring(0, parameters);
    }

    private static void abandon(EmbeddedDatabase database, @Nullable HikariDataSource pool) {
        database.abandon();
        close(pool);
    }

    private static void close(@Nullable HikariDataSource pool) {
        if (pool != null) {
            pool.close();
        }
    }

    private static String path(Path directory, String file) throws UnusableIndexException {
        String path = directory.toAbsolutePath().resolve(file).toString();
        if (path.indexOf(';') >= 0) {
            throw new UnusableIndexException(Why.NOT_WRITABLE,
                    "The path " + directory
                            + " contains a semicolon, which the database cannot open: choose another one.");
        }
        return path;
    }

    /// @param keepaliveMillis interval of the check of idle connections; 0: none
    static HikariDataSource pool(DataSource database, int readers, long keepaliveMillis) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("spool-index");
        config.setDataSource(database);
        // One more than readers, because a migration takes two.
        config.setMaximumPoolSize(readers + 1);
        config.setMinimumIdle(0);
        config.setIdleTimeout(0);
        config.setMaxLifetime(0);
        config.setConnectionTimeout(3_000);
        config.setValidationTimeout(2_000);
        config.setKeepaliveTime(keepaliveMillis);
        config.setInitializationFailTimeout(1);
        return new HikariDataSource(config);
    }

    /// @param patient connections for statements that may take long
    static void migrate(DataSource pool, DataSource patient) throws SQLException, UnusableIndexException {
        int version;
        try (Connection connection = pool.getConnection()) {
            if (connection.isReadOnly()) {
                throw new UnusableIndexException(Why.NOT_WRITABLE, "The index file cannot be written.");
            }
            version = version(connection);
            if (version == 0 && isEmbedded(connection)) {
                make(connection);
                return;
            }
        }
        if (version > SCHEMA_VERSION) {
            throw new UnusableIndexException(Why.NEWER_VERSION,
                    "The index has schema " + version + ", this program knows " + SCHEMA_VERSION + ".");
        }
        if (version < SCHEMA_VERSION) {
            long begin = System.nanoTime();
            Flyway.configure(IndexDatabase.class.getClassLoader()).dataSource(patient)
                    .locations("classpath:db/migration").table(HISTORY).failOnMissingLocations(true).load().migrate();
            LOG.info("event=index-migrated from={} to={} millis={}", version, SCHEMA_VERSION,
                    (System.nanoTime() - begin) / 1_000_000);
        }
    }

    /// 0 when there is no schema yet.
    static int version(Connection connection) throws SQLException {
        try (ResultSet tables = connection.getMetaData().getTables(null, null, HISTORY, null)) {
            if (!tables.next()) {
                return 0;
            }
        }
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select max(cast(\"version\" as integer)) from \"" + HISTORY
                        + "\" where \"success\" = true")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static boolean isEmbedded(Connection connection) throws SQLException {
        return connection.getMetaData().getURL().startsWith("jdbc:h2:");
    }

    /// Creates the tables of a new H2 from the same scripts without Flyway, because loading Flyway
    /// takes longer than the rest of a first start. The history begins with a baseline, and the
    /// Flyway of a later version continues behind it.
    static void make(Connection connection) throws SQLException, UnusableIndexException {
        try (Statement statement = connection.createStatement()) {
            requireNew(statement);
            for (String script : SCRIPTS) {
                statement.execute("runscript from 'classpath:/db/migration/" + script + ".sql'");
            }
            statement.execute("create table \"" + HISTORY + "\" (\"installed_rank\" int not null primary key,"
                    + " \"version\" varchar(50), \"description\" varchar(200) not null, \"type\" varchar(20) not null,"
                    + " \"script\" varchar(1000) not null, \"checksum\" int, \"installed_by\" varchar(100) not null,"
                    + " \"installed_on\" timestamp default current_timestamp not null,"
                    + " \"execution_time\" int not null, \"success\" boolean not null)");
            statement.execute("insert into \"" + HISTORY
                    + "\" (\"installed_rank\", \"version\", \"description\", \"type\","
                    + " \"script\", \"installed_by\", \"execution_time\", \"success\") values (1, '" + SCHEMA_VERSION
                    + "', '<< Flyway Baseline >>', 'BASELINE', '<< Flyway Baseline >>', 'slipstream', 0, true)");
            // Otherwise a disk that fills up right after this leaves an empty file.
            statement.execute("checkpoint sync");
        }
    }

    /// H2 does not create tables in a transaction: a process that is killed at its first start may
    /// leave some of them, without rows.
    private static void requireNew(Statement statement) throws SQLException, UnusableIndexException {
        try (ResultSet rows = statement.executeQuery(
                "select count(*) from information_schema.tables where table_schema = 'public'")) {
            rows.next();
            if (rows.getInt(1) > 0) {
                throw new UnusableIndexException(Why.DAMAGED,
                        "The index is incomplete: its process was killed while it was created.");
            }
        }
    }

    private static UnusableIndexException unusable(Path directory, Exception cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            // H2's error 90020: another process has the file open.
            if (each instanceof SQLException sql && sql.getErrorCode() == 90020) {
                return new UnusableIndexException(Why.IN_USE,
                        "Another process has opened the index in " + directory
                                + ": stop it.",
                        cause);
            }
        }
        return new UnusableIndexException(IndexDamage.isBehind(cause) ? Why.DAMAGED : Why.UNREADABLE,
                "The index " + directory.resolve(FILE_NAME) + " cannot be read (" + root(cause) + ").", cause);
    }

    private static String root(Throwable cause) {
        Throwable each = cause;
        while (each.getCause() != null && each.getCause() != each) {
            each = each.getCause();
        }
        String message = String.valueOf(each.getMessage()).strip();
        return message.lines().findFirst().orElse(each.getClass().getSimpleName());
    }
}
