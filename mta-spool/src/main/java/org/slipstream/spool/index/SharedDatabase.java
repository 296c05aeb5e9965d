package org.slipstream.spool.index;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A PostgreSQL. A commit is durable there, so [#sync] does nothing, and the database runs on
/// without us, so [#stop] does nothing.
///
/// **A dead connection** sends no data and no error, for example after a switch dropped the
/// connection or a machine lost power. A read of its socket waits indefinitely unless it has a
/// timeout. So each read ends after [#READ_TIMEOUT_SECONDS], which leaves time to answer 451 to a
/// client whose message the writer held. Limits in the operator's URL take precedence.
///
/// **The lock.** An advisory lock of the writer's session excludes a second server. The session
/// behind a dead connection keeps the lock until PostgreSQL notices, which may take hours. So the
/// writer remembers its own session and terminates it when it blocks the new one. This also decides
/// a doubtful `COMMIT`: once the new session has the lock, the old session has ended, and its
/// transaction is either there or never will be.
///
/// **Shards** share a database. Each has a schema and a lock of its own ([#ofShard]); shard 1 has those
/// of the URL.
final class SharedDatabase implements Database {
    private static final Logger log = LoggerFactory.getLogger(SharedDatabase.class);
    /// "slip": the number of our advisory lock in the database.
    private static final long LOCK = 0x736c6970L;
    private static final String SCHEMA = "slipstream_shard_";
    private static final Pattern OF_SHARD = Pattern.compile("[?&]currentSchema=" + SCHEMA + "([0-9]{1,2})$");
    // Process ids are used again after a restart of the database; with the start time a session is
    // unique.
    private static final String SESSION = "a.pid || ' ' || a.backend_start";
    private static final String READ_TIMEOUT_SECONDS = "30";

    private final String url;
    private final int shard;
    private Optional<String> session = Optional.empty();
    private boolean hadTables;

    SharedDatabase(String url) {
        this.url = url;
        Matcher named = OF_SHARD.matcher(url);
        this.shard = named.find() ? Integer.parseInt(named.group(1)) : 1;
    }

    /// The place of the index of a shard. The last parameter counts, so that of the operator's URL is for
    /// shard 1.
    static String ofShard(String url, int shard) {
        return shard == 1 ? url : url + (url.contains("?") ? "&" : "?") + "currentSchema=" + SCHEMA + shard;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Properties defaults = new Properties();
        defaults.setProperty("connectTimeout", Integer.toString(OPENING_SECONDS));
        defaults.setProperty("loginTimeout", Integer.toString(OPENING_SECONDS));
        defaults.setProperty("socketTimeout", READ_TIMEOUT_SECONDS);
        defaults.setProperty("tcpKeepAlive", "true");
        return DriverManager.getConnection(url, defaults);
    }

    @Override
    public void claim(Connection connection) throws SQLException {
        if (!isLocked(connection)) {
            endOldSession(connection);
            throw new SQLException(TAKEN, "55P03");
        }
        session = ownSession(connection);
    }

    /// An operator may replace the database while the server runs. The log has all mail.
    @Override
    public void prepareTables(Connection connection) throws SQLException {
        if (shard > 1) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("create schema if not exists " + SCHEMA + shard);
            }
        }
        OptionalInt version = IndexDatabase.version(connection);
        if (version.isPresent() && version.getAsInt() == IndexDatabase.SCHEMA_VERSION) {
            hadTables = true;
            return;
        }
        if (version.isEmpty() && IndexDatabase.hasTables(connection)) {
            throw new SQLException("it has tables of another program: give the index a database of its own", "55000");
        }
        // One transaction, so that a kill leaves all tables or none.
        connection.setAutoCommit(false);
        if (version.isPresent()) {
            log.warn("event=index-made-again-from-log reason=\"the database has schema {}\"", version.getAsInt());
            IndexDatabase.drop(connection);
        } else if (hadTables) {
            log.warn("event=index-made-again-from-log reason=\"the database lacks tables\"");
        }
        IndexDatabase.make(connection);
        connection.commit();
        connection.setAutoCommit(true);
        hadTables = true;
    }

    private boolean isLocked(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement
                        .executeQuery("select pg_try_advisory_lock(" + (LOCK + (shard - 1L << 32)) + ")")) {
            return row.next() && row.getBoolean(1);
        }
    }

    /// Frees the lock for the next attempt.
    private void endOldSession(Connection connection) throws SQLException {
        if (session.isEmpty()) {
            return;
        }
        try (PreparedStatement query = connection.prepareStatement("select pg_terminate_backend(a.pid) from pg_locks l"
                + " join pg_stat_activity a on a.pid = l.pid where l.locktype = 'advisory' and l.classid = "
                + (shard - 1)
                + " and l.objid = " + LOCK + " and " + SESSION + " = ?")) {
            query.setString(1, session.get());
            try (ResultSet rows = query.executeQuery()) {
                if (rows.next()) {
                    log.warn("event=old-session-ended session=\"{}\""
                            + " reason=\"its connection is dead, and it keeps the index's lock\"", session.get());
                }
            }
        }
    }

    private static Optional<String> ownSession(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select " + SESSION + " from pg_stat_activity a where a.pid = pg_backend_pid()")) {
            return row.next() ? Optional.ofNullable(row.getString(1)) : Optional.empty();
        }
    }

    @Override
    public void sync(Connection connection) {
        // A commit is durable already.
    }

    /// Closes the socket; an ordinary close would send a message to the other end first.
    @Override
    public void abandon(Connection broken) {
        try {
            broken.abort(Runnable::run);
        } catch (SQLException e) {
            log.debug("event=connection-dropped error=\"{}\"", e.getMessage());
        }
    }

    @Override
    public void stop(Connection connection, long messages) throws SQLException {
        connection.close();
    }
}
