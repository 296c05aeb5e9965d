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
import java.util.Properties;

/// A PostgreSQL. A commit is synced there, so there is nothing to sync, and it goes on without us, so there is nothing to stop.
///
/// **A dead connection** answers nothing and reports nothing: a switch that forgot the connection, a machine without power. A read
/// of its socket waits indefinitely unless somebody sets a limit. So each read ends after [#ANSWER_SECONDS], which leaves a client
/// whose letter was in the writer's hands time to hear 451. The operator's URL may set other limits: what it names goes first.
///
/// **The lock.** A lock of the writer's session keeps a second server out. The session behind a dead connection keeps its lock until
/// PostgreSQL notices, which may take hours. So the writer remembers which session was its own and ends it when it stands in the way.
/// That is also what makes a doubtful `COMMIT` certain: once the lock is ours, the old session has ended, and its transaction is
/// either there or never will be.
final class SharedDatabase implements Database {
    private static final Logger LOG = LoggerFactory.getLogger(SharedDatabase.class);
    /// "slip"; the number of our lock among those of the database.
    private static final long LOCK = 0x736c6970L;
    /// Process ids come back after a restart of the database; together with its beginning a session's is its own.
    private static final String SESSION = "a.pid || ' ' || a.backend_start";
    private static final String ANSWER_SECONDS = "30";

    private final String url;
    private final String answerSeconds;
    private Optional<String> session = Optional.empty();

    private SharedDatabase(String url, String answerSeconds) {
        this.url = url;
        this.answerSeconds = answerSeconds;
    }

    static SharedDatabase at(String url) {
        return new SharedDatabase(url, ANSWER_SECONDS);
    }

    /// For statements that take as long as the tables are: a change of the schema.
    static SharedDatabase patient(String url) {
        return new SharedDatabase(url, "0");
    }

    @Override
    public Connection getConnection() throws SQLException {
        Properties defaults = new Properties();
        defaults.setProperty("connectTimeout", Integer.toString(OPENING_SECONDS));
        defaults.setProperty("loginTimeout", Integer.toString(OPENING_SECONDS));
        defaults.setProperty("socketTimeout", answerSeconds);
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

    private static boolean isLocked(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_try_advisory_lock(" + LOCK + ")")) {
            return row.next() && row.getBoolean(1);
        }
    }

    /// The next attempt finds the lock free.
    private void endOldSession(Connection connection) throws SQLException {
        if (session.isEmpty()) {
            return;
        }
        try (PreparedStatement query = connection.prepareStatement("select pg_terminate_backend(a.pid) from pg_locks l"
                + " join pg_stat_activity a on a.pid = l.pid where l.locktype = 'advisory' and l.classid = 0"
                + " and l.objid = " + LOCK + " and " + SESSION + " = ?")) {
            query.setString(1, session.get());
            try (ResultSet rows = query.executeQuery()) {
                if (rows.next()) {
                    LOG.warn("event=old-session-ended session=\"{}\""
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
        // A commit is safe.
    }

    /// Closes the socket; an ordinary close would say so to the other end first.
    @Override
    public void abandon(Connection broken) {
        try {
            broken.abort(Runnable::run);
        } catch (SQLException e) {
            LOG.debug("event=connection-dropped error=\"{}\"", e.getMessage());
        }
    }

    @Override
    public void stop(Connection connection, long messages) throws SQLException {
        connection.close();
    }
}
