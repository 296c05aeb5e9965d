package org.slipstream.spool.index;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;

import javax.sql.DataSource;

/// A database that can keep the index, and where two of them differ: how a connection is opened and given up, what makes a
/// commit safe, and how the database is left. Connections for readers come from a pool on top of it.
interface Database extends DataSource {
    /// What a database says that another server writes.
    String TAKEN = "another server writes it";

    /// How long a connection may take to be opened.
    int OPENING_SECONDS = 5;

    /// A new connection. Returns or fails in bounded time.
    @Override
    Connection getConnection() throws SQLException;

    /// Makes sure that nobody else writes; `connection` is the writer's from here on.
    void claim(Connection connection) throws SQLException;

    /// Makes safe what `connection` has committed.
    void sync(Connection connection) throws SQLException;

    /// Gives up the writer's connection after a failure, executes nothing on it, and does not wait for its other end.
    void abandon(Connection broken);

    /// Puts aside what does not hold what was written; the next connection begins with nothing.
    default void setAside() throws SQLException {
        throw new SQLFeatureNotSupportedException("not a file of ours");
    }

    /// The last statement on the writer's connection, which is in order.
    void stop(Connection connection, long messages) throws SQLException;

    // The rest of DataSource, of which a pool uses nothing.

    @Override
    default Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    default PrintWriter getLogWriter() throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    default void setLogWriter(PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    default void setLoginTimeout(int seconds) {
        // The URL says it.
    }

    @Override
    default int getLoginTimeout() {
        // The pool waits so long at its end for a connection that is just being opened.
        return OPENING_SECONDS;
    }

    @Override
    default Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    default <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    default boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
