package org.slipstream.spool.register;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.flywaydb.core.Flyway;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.spool.register.UnusableRegisterException.Why;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import javax.sql.DataSource;

/// Opens the register in an embedded H2 and brings its schema up to date.
///
/// What H2 is told, and why:
///
/// - `DB_CLOSE_ON_EXIT=FALSE`, `DB_CLOSE_DELAY=-1`: we close it, in our order; H2's own shutdown hook would race ours.
/// - `MODE=PostgreSQL`: the SQL stays what PostgreSQL takes.
/// - `WRITE_DELAY` and `RETENTION_TIME` stay at their defaults. `WRITE_DELAY=0` does not sync anything; durability comes from
///   `CHECKPOINT SYNC` after each group. A shorter retention lets H2 reuse space that an interrupted write may need.
/// - `MAX_COMPACT_TIME=0`: H2 would rewrite its file at every stop, seconds for a queue of 100,000; [EmbeddedDatabase#stop] decides.
/// - `TRACE_LEVEL_FILE=0`: what goes wrong is thrown at us and logged by us; no second log beside the data.
///
/// Flyway costs more than opening the database, so it is only called when the schema is not the one we know.
public final class RegisterDatabase {
    /// The version that the newest file in `db/migration` brings.
    public static final int SCHEMA_VERSION = 7;

    private static final Logger LOG = LoggerFactory.getLogger(RegisterDatabase.class);
    private static final String HISTORY = "flyway_schema_history";
    private static final String FILE = "register";

    /// The register's file in the spool's directory.
    public static final String FILE_NAME = FILE + ".mv.db";

    // H2 rewrites the file in the background until so much of it is in use. At its default of 90 it was at work for
    // minutes after a queue of a million had been filled, on the processor and with the store's lock, and a start that
    // met it took three times as long.
    private static final String SETTINGS = ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH"
            + ";DB_CLOSE_ON_EXIT=FALSE;DB_CLOSE_DELAY=-1;MAX_COMPACT_TIME=0;AUTO_COMPACT_FILL_RATE=50;TRACE_LEVEL_FILE=0";

    /// Networks forget idle connections after five minutes or later.
    private static final long KEEPALIVE_MILLIS = 120_000;
    private static final int REACH_SECONDS = 10;

    private RegisterDatabase() {}

    /// @param directory the spool's; the register is `register.mv.db` in it
    /// @param readers how many threads read at the same time
    public static Register open(Path directory, int readers) throws UnusableRegisterException {
        return open(directory, "file", readers);
    }

    /// @param fileSystem the one of H2's file systems that holds the file: `file`, or one that makes trouble
    public static Register open(Path directory, String fileSystem, int readers) throws UnusableRegisterException {
        EmbeddedDatabase database = new EmbeddedDatabase(fileSystem, path(directory), SETTINGS);
        HikariDataSource pool = null;
        try {
            pool = pool(database, readers, 0);
            migrate(pool, pool);
            return new JdbcRegister(database, pool);
        } catch (SQLException | RegisterException | RuntimeException e) {
            abandon(database, pool);
            throw unusable(directory, e);
        } catch (UnusableRegisterException e) {
            abandon(database, pool);
            throw e;
        }
    }

    /// The register in a PostgreSQL.
    ///
    /// @param url `jdbc:postgresql://host/database?user=…`
    public static Register openShared(String url, int readers) throws UnusableRegisterException {
        SharedDatabase database = SharedDatabase.at(url);
        HikariDataSource pool = null;
        try {
            pool = pool(database, readers, KEEPALIVE_MILLIS);
            migrate(pool, SharedDatabase.patient(url));
            return new JdbcRegister(database, pool);
        } catch (SQLException | RegisterException | RuntimeException e) {
            close(pool);
            boolean inUse = e instanceof RegisterException
                    && String.valueOf(e.getMessage()).contains(Database.TAKEN);
            throw inUse
                    ? new UnusableRegisterException(Why.IN_USE, "The register in " + withoutSecrets(url)
                            + " is in use by another server: stop that one, or give this one a database of its own.", e)
                    : unreachable(url, e);
        } catch (UnusableRegisterException e) {
            close(pool);
            throw e;
        }
    }

    /// Connects to the database of a shared register, and changes nothing there.
    public static void reach(String url) throws UnusableRegisterException {
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.isValid(REACH_SECONDS);
        } catch (SQLException e) {
            throw unreachable(url, e);
        }
    }

    private static UnusableRegisterException unreachable(String url, Exception e) {
        return new UnusableRegisterException(Why.UNREADABLE, "The register in " + withoutSecrets(url)
                + " cannot be opened (" + root(e) + "): start the database, or correct spool.register.", e);
    }

    private static String withoutSecrets(String url) {
        int parameters = url.indexOf('?');
        return parameters < 0 ? url : url.substring(0, parameters);
    }

    private static void abandon(EmbeddedDatabase database, HikariDataSource pool) {
        database.abandon();
        close(pool);
    }

    private static void close(HikariDataSource pool) {
        if (pool != null) {
            pool.close();
        }
    }

    private static String path(Path directory) throws UnusableRegisterException {
        String path = directory.toAbsolutePath().resolve(FILE).toString();
        if (path.indexOf(';') >= 0) {
            throw new UnusableRegisterException(Why.NOT_WRITABLE,
                    "The path " + directory
                            + " contains a semicolon, which the database cannot open: choose another one.",
                    null);
        }
        return path;
    }

    /// @param keepaliveMillis how often an idle connection is tried; 0: never
    static HikariDataSource pool(DataSource database, int readers, long keepaliveMillis) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("spool-register");
        config.setDataSource(database);
        // One more than readers: a migration takes two.
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
    private static void migrate(DataSource pool, DataSource patient) throws SQLException, UnusableRegisterException {
        int version;
        try (Connection connection = pool.getConnection()) {
            if (connection.isReadOnly()) {
                throw new UnusableRegisterException(Why.NOT_WRITABLE, "The register's file cannot be written.", null);
            }
            version = version(connection);
            if (version == 0 && isHalfMade(connection)) {
                throw new UnusableRegisterException(Why.DAMAGED,
                        "The register was being made when its process was killed.", null);
            }
        }
        if (version > SCHEMA_VERSION) {
            throw new UnusableRegisterException(Why.NEWER_VERSION,
                    "The register has schema " + version + ", this program knows " + SCHEMA_VERSION + ".", null);
        }
        if (version < SCHEMA_VERSION) {
            long begin = System.nanoTime();
            Flyway.configure(RegisterDatabase.class.getClassLoader()).dataSource(patient)
                    .locations("classpath:db/migration").table(HISTORY).failOnMissingLocations(true).load().migrate();
            LOG.info("event=register-migrated from={} to={} millis={}", version, SCHEMA_VERSION,
                    (System.nanoTime() - begin) / 1_000_000);
        }
    }

    /// 0 when there is no schema yet.
    private static int version(Connection connection) throws SQLException {
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

    /// H2 does not make tables in a transaction: a process that is killed at its first start may leave some of them, and nothing
    /// in them. (PostgreSQL does, and other tables there are somebody else's.)
    private static boolean isHalfMade(Connection connection) throws SQLException {
        if (!connection.getMetaData().getURL().startsWith("jdbc:h2:")) {
            return false;
        }
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "select count(*) from information_schema.tables where table_schema = 'public'")) {
            rows.next();
            return rows.getInt(1) > 0;
        }
    }

    private static UnusableRegisterException unusable(Path directory, Exception cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            // H2's error 90020: another process has the file.
            if (each instanceof SQLException sql && sql.getErrorCode() == 90020) {
                return new UnusableRegisterException(Why.IN_USE,
                        "Another process has opened the register in " + directory
                                + ": stop it.",
                        cause);
            }
        }
        return new UnusableRegisterException(RegisterDamage.isBehind(cause) ? Why.DAMAGED : Why.UNREADABLE,
                "The register " + directory.resolve(FILE_NAME) + " cannot be read (" + root(cause) + ").", cause);
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
