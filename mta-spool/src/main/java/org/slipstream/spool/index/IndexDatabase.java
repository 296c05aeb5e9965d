package org.slipstream.spool.index;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.slipstream.spool.index.UnusableIndexException.Why;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.OptionalInt;

import javax.sql.DataSource;

/// Opens the index in an embedded H2.
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
/// Tables of another version are not migrated: the index is made again from the log.
public final class IndexDatabase {
    public static final int SCHEMA_VERSION = 2;

    private static final String SCRIPT = "/db/index.sql";
    private static final String SCHEMA = "index_schema";
    private static final String FILE = "index";

    /// Name of the index file in the spool's directory.
    public static final String FILE_NAME = FILE + ".mv.db";

    // H2 compacts the file in the background until this share of it is in use. At the default of 90
    // it worked for minutes after a queue of a million had been filled, and held the store's lock.
    // A start during that time took three times as long.
    private static final String SETTINGS = ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH"
            + ";DB_CLOSE_ON_EXIT=FALSE;DB_CLOSE_DELAY=-1;MAX_COMPACT_TIME=0;AUTO_COMPACT_FILL_RATE=50;TRACE_LEVEL_FILE=0";

    private IndexDatabase() {}

    /// @param directory of the spool; the index is `index.mv.db` in it
    /// @param readers number of threads that read at the same time
    public static QueueIndex open(Path directory, int readers) throws UnusableIndexException {
        return open(directory, "file", readers);
    }

    /// @param fileSystem the one of H2's file systems that holds the file: `file`, or one that
    ///     injects failures
    public static QueueIndex open(Path directory, String fileSystem, int readers) throws UnusableIndexException {
        return open(directory, FILE, fileSystem, readers);
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
            pool = pool(database, readers);
            prepare(pool);
            return new JdbcIndex(database, pool);
        } catch (SQLException | IndexException | RuntimeException e) {
            abandon(database, pool);
            throw unusable(directory, e);
        } catch (UnusableIndexException e) {
            abandon(database, pool);
            throw e;
        }
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

    static HikariDataSource pool(DataSource database, int readers) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("spool-index");
        config.setDataSource(database);
        config.setMaximumPoolSize(readers);
        config.setMinimumIdle(0);
        config.setIdleTimeout(0);
        config.setMaxLifetime(0);
        // The database is in this process: no network needs to be kept open.
        config.setKeepaliveTime(0);
        config.setConnectionTimeout(3_000);
        config.setValidationTimeout(2_000);
        config.setInitializationFailTimeout(1);
        return new HikariDataSource(config);
    }

    /// Makes the tables of a new file.
    private static void prepare(DataSource pool) throws SQLException, UnusableIndexException {
        try (Connection connection = pool.getConnection()) {
            if (connection.isReadOnly()) {
                throw new UnusableIndexException(Why.NOT_WRITABLE, "The index file cannot be written.");
            }
            if (!hasTables(connection)) {
                make(connection);
                return;
            }
            OptionalInt version = version(connection);
            if (version.isEmpty()) {
                // H2 does not create tables in a transaction.
                throw new UnusableIndexException(Why.DAMAGED,
                        "The index is incomplete: its process was killed while it was created.");
            }
            if (version.getAsInt() != SCHEMA_VERSION) {
                throw new UnusableIndexException(Why.DAMAGED, "The index has schema " + version.getAsInt()
                        + ", and this program has schema " + SCHEMA_VERSION + ".");
            }
        }
    }

    /// Empty without the row that is written last.
    static OptionalInt version(Connection connection) throws SQLException {
        if (!exists(connection, SCHEMA)) {
            return OptionalInt.empty();
        }
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select version from " + SCHEMA)) {
            return rows.next() ? OptionalInt.of(rows.getInt(1)) : OptionalInt.empty();
        }
    }

    static boolean hasTables(Connection connection) throws SQLException {
        return exists(connection, "%");
    }

    private static boolean exists(Connection connection, String pattern) throws SQLException {
        try (ResultSet tables = connection.getMetaData().getTables(null, connection.getSchema(), pattern,
                new String[]{"TABLE", "BASE TABLE"})) {
            return tables.next();
        }
    }

    static void make(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(script());
            // Otherwise a disk that fills up right after this leaves an empty file.
            statement.execute("checkpoint sync");
        }
    }

    private static String script() throws SQLException {
        try (InputStream in = IndexDatabase.class.getResourceAsStream(SCRIPT)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new SQLException("cannot read " + SCRIPT, e);
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
