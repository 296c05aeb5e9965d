package org.slipstream.spool.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// The PostgreSQL that holds the message log: connections, the schema `slipstream`, and transactions whose
/// end is known.
///
/// **A commit counts only without a warning.** When a wait for the standby is cancelled, PostgreSQL makes the
/// commit visible, and the driver returns normally with warning 01000. [#transaction] throws
/// [CommitInDoubtException] then, and when the connection is lost during `COMMIT`.
///
/// **Nothing waits indefinitely**: connecting (2 s), an answer (10 s), a lock (5 s). The server ends a
/// transaction that was left open for 4 s, so a machine that stands still does not keep the row of a shard.
/// Limits in the operator's URL take precedence.
///
/// Used by any thread.
public final class LogDatabase implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LogDatabase.class);
    private static final String SCRIPT = "/db/log.sql";
    private static final List<String> SETTINGS = List.of("fsync", "full_page_writes", "synchronous_commit");
    private static final int SCHEMA_VERSION = 1;
    /// "slip": the number of the advisory lock for changes of the schema.
    static final long SCHEMA_LOCK = 0x736c6970L;
    private static final int CONNECTIONS = 8;
    private static final int WAIT_FOR_CONNECTION_MILLIS = 3_000;
    private static final int IDLE_MILLIS = 60_000;
    // A standby that only receives is enough; one that applies first delays each commit by what its queries do.
    private static final String SESSION = "set search_path to slipstream; set synchronous_commit = on;"
            + " set lock_timeout = '5s'; set idle_in_transaction_session_timeout = '4s';"
            + " set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;";

    /// Statements on one connection, which belongs to them until they return.
    @FunctionalInterface
    public interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    private final String url;
    private final HikariDataSource pool;

    private LogDatabase(String url, int waitMillis, String settings) {
        this.url = url;
        HikariConfig config = new HikariConfig();
        config.setPoolName("log-database");
        config.setJdbcUrl(url);
        config.addDataSourceProperty("connectTimeout", "2");
        config.addDataSourceProperty("loginTimeout", "5");
        config.addDataSourceProperty("socketTimeout", "10");
        config.addDataSourceProperty("tcpKeepAlive", "true");
        config.addDataSourceProperty("targetServerType", "primary");
        config.addDataSourceProperty("ApplicationName", "slipstream");
        // Octets of pages arrive as they are, not as hexadecimal text.
        config.addDataSourceProperty("prepareThreshold", "1");
        config.setConnectionInitSql(SESSION + settings);
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(0);
        config.setIdleTimeout(IDLE_MILLIS);
        config.setConnectionTimeout(waitMillis);
        config.setValidationTimeout(2_000);
        config.setInitializationFailTimeout(-1);
        pool = new HikariDataSource(config);
    }

    /// Opens the database to write, and makes the schema when it is missing.
    public static LogDatabase open(String url) throws SQLException {
        return open(url, WAIT_FOR_CONNECTION_MILLIS, "");
    }

    /// @param waitMillis limit for a connection of the pool
    /// @param settings more of each session, in SQL
    static LogDatabase open(String url, int waitMillis, String settings) throws SQLException {
        LogDatabase database = new LogDatabase(url, waitMillis, settings);
        try {
            database.prepare();
            return database;
        } catch (SQLException | RuntimeException e) {
            database.close();
            throw e;
        }
    }

    /// As [#open], for a caller that has an operator to tell.
    public static LogDatabase reach(String url) throws UnreachableException {
        try {
            return open(url);
        } catch (SQLException e) {
            throw new UnreachableException(place(url), e);
        }
    }

    /// Opens the database without a change of it. The schema may be missing.
    public static LogDatabase toLook(String url) {
        return new LogDatabase(url, WAIT_FOR_CONNECTION_MILLIS, "");
    }

    /// As [#toLook], for a caller that has an operator to tell.
    public static LogDatabase reachToLook(String url) throws UnreachableException {
        LogDatabase database = toLook(url);
        try {
            database.read(LogDatabase::version);
            return database;
        } catch (SQLException e) {
            database.close();
            throw new UnreachableException(place(url), e);
        }
    }

    private void prepare() throws SQLException {
        int version = read(LogDatabase::version);
        if (version > SCHEMA_VERSION) {
            throw newer(version);
        }
        if (version < SCHEMA_VERSION) {
            define("create schema if not exists slipstream;" + script()
                    + "create table if not exists version (schema int primary key);"
                    + "insert into version values (" + SCHEMA_VERSION + ") on conflict do nothing");
        }
    }

    /// 0 without a schema.
    private static int version(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try (ResultSet found = statement.executeQuery("select to_regclass('slipstream.version') is not null")) {
                if (!found.next() || !found.getBoolean(1)) {
                    return 0;
                }
            }
            try (ResultSet rows = statement.executeQuery("select coalesce(max(schema), 0) from slipstream.version")) {
                return rows.next() ? rows.getInt(1) : 0;
            }
        }
    }

    /// Makes tables, by statements that do nothing when the tables are there (`create table if not exists`). One
    /// node at a time.
    public void define(String statements) throws SQLException {
        transaction(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("select pg_advisory_xact_lock(" + SCHEMA_LOCK + ")");
                statement.execute(statements);
            }
            return true;
        });
    }

    /// Reads outside a transaction.
    public <T> T read(Work<T> work) throws SQLException {
        try (Connection connection = pooled()) {
            return work.on(connection);
        }
    }

    /// A thread that was interrupted gets a connection, too: it may be about to read its last message.
    private Connection pooled() throws SQLException {
        boolean interrupted = Thread.interrupted();
        try {
            return pool.getConnection();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// Runs the work in a transaction. When this returns, the commit is durable, on the synchronous standby,
    /// too, where there is one. When it throws anything but [CommitInDoubtException], nothing has changed.
    public <T> T transaction(Work<T> work) throws SQLException {
        Connection connection = connect();
        try {
            T done = work.on(connection);
            commit(connection);
            return done;
        } catch (SQLException | RuntimeException e) {
            rollback(connection);
            throw e;
        } finally {
            close(connection);
        }
    }

    /// A connection with an open transaction, for a writer that fills it step by step; [#commit] or [#rollback] and
    /// [#close] end it.
    Connection connect() throws SQLException {
        Connection connection = pooled();
        try {
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException e) {
            close(connection);
            throw e;
        }
    }

    static void commit(Connection connection) throws SQLException {
        connection.clearWarnings();
        try {
            connection.commit();
        } catch (SQLException e) {
            throw isRefused(e) ? e : new CommitInDoubtException(String.valueOf(e.getMessage()), e);
        }
        SQLException warning = connection.getWarnings();
        if (warning != null) {
            throw new CommitInDoubtException(String.valueOf(warning.getMessage()), warning);
        }
    }

    /// The server has answered and said that the transaction is rolled back. Class 08: the connection is lost;
    /// class 57: the session or its statement was ended from outside, at any point of the commit.
    private static boolean isRefused(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return state.length() == 5 && !state.startsWith("08") && !state.startsWith("57") && !state.startsWith("XX")
                && !state.startsWith("58") && !state.startsWith("53");
    }

    static void rollback(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            log.debug("event=connection-dropped error=\"{}\"", e.getMessage());
        }
    }

    /// Gives the connection back.
    static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            log.debug("event=connection-dropped error=\"{}\"", e.getMessage());
        }
    }

    /// The URL without its parameters, which may have a password.
    public String place() {
        return place(url);
    }

    /// A URL without its parameters.
    public static String place(String url) {
        int parameters = url.indexOf('?');
        return parameters < 0 ? url : url.substring(0, parameters);
    }

    /// The innermost reason, in one line.
    static String reason(SQLException failure) {
        Throwable each = failure;
        while (each.getCause() != null && each.getCause() != each && each.getCause().getMessage() != null) {
            each = each.getCause();
        }
        return String.valueOf(each.getMessage()).strip().lines().findFirst().orElse("");
    }

    /// Asks the database for its version and for the right to make tables; changes nothing.
    public void examine() throws UnreachableException {
        try {
            int version = read(LogDatabase::version);
            if (version > SCHEMA_VERSION) {
                throw newer(version);
            }
            if (!read(on -> isTrue(on, "select case when to_regnamespace('slipstream') is null"
                    + " then has_database_privilege(current_database(), 'create')"
                    + " else has_schema_privilege('slipstream', 'create') end"))) {
                throw new SQLException("its user may not make tables: give it a schema \"slipstream\" of its own",
                        "42501");
            }
        } catch (SQLException e) {
            throw new UnreachableException(place(), e);
        }
    }

    /// The danger for commits: a setting that loses them, or a single copy.
    Optional<String> danger() throws SQLException {
        return read(on -> {
            try (Statement statement = on.createStatement();
                    ResultSet row = statement.executeQuery("select current_setting('fsync'),"
                            + " current_setting('full_page_writes'), current_setting('synchronous_commit'),"
                            + " current_setting('synchronous_standby_names'),"
                            + " count(*) filter (where sync_state in ('sync', 'quorum')),"
                            + " count(*) filter (where sync_state is null) from pg_stat_replication")) {
                row.next();
                List<String> settings = List.of(row.getString(1), row.getString(2), row.getString(3));
                return danger(settings, row.getString(4), row.getInt(5), row.getInt(6));
            }
        });
    }

    /// @param settings values of [#SETTINGS]
    /// @param names of the standbys that may confirm
    /// @param hidden standbys of which this user may not see what they do
    static Optional<String> danger(List<String> settings, String names, int confirming, int hidden) {
        for (int i = 0; i < SETTINGS.size(); i++) {
            if (settings.get(i).equals("off") || settings.get(i).equals("local")) {
                return Optional.of("a crash of the database can lose mail: its setting " + SETTINGS.get(i) + " is "
                        + settings.get(i));
            }
        }
        if (confirming > 0) {
            return Optional.empty();
        }
        if (names.isEmpty()) {
            return Optional.of("one copy: no standby confirms commits, synchronous_standby_names is empty");
        }
        return Optional.of(hidden > 0
                ? "not known whether a standby confirms commits: grant this user pg_monitor"
                : "no standby is connected that could confirm commits (" + names + ")");
    }

    private static boolean isTrue(Connection on, String query) throws SQLException {
        try (Statement statement = on.createStatement(); ResultSet row = statement.executeQuery(query)) {
            return row.next() && row.getBoolean(1);
        }
    }

    private static SQLException newer(int version) {
        return new SQLException("the schema \"slipstream\" has version " + version + ", and this program has version "
                + SCHEMA_VERSION, "55000");
    }

    private static String script() throws SQLException {
        try (InputStream in = LogDatabase.class.getResourceAsStream(SCRIPT)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new SQLException("cannot read " + SCRIPT, e);
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
