package org.slipstream.spool.index;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;

import javax.sql.DataSource;

/// A database that can hold the index. The methods are what differs between H2 and PostgreSQL: how
/// a connection is opened and abandoned, what makes a commit durable, and how the database is
/// closed. Connections for readers come from a pool above it.
interface Database extends DataSource {
    /// The message of the exception when another server holds the index.
    String TAKEN = "another server writes it";

    /// Limit for opening a connection.
    int OPENING_SECONDS = 5;

    /// Opens a connection. Returns or fails in bounded time.
    @Override
    Connection getConnection() throws SQLException;

    /// Excludes other writers. `connection` is the writer's connection from here on.
    void claim(Connection connection) throws SQLException;

    /// Makes the tables of an empty database, or again those of another version.
    default void prepareTables(Connection connection) throws SQLException {
        // A file without tables is damaged, and is set aside.
    }

    /// Makes durable what `connection` has committed.
    void sync(Connection connection) throws SQLException;

    /// Closes the writer's connection after a failure, without a statement and without waiting for
    /// the other end.
    void abandon(Connection broken);

    /// Sets an unreadable file aside. The next connection opens an empty database.
    default void setAside() throws SQLException {
        throw new SQLFeatureNotSupportedException("not a file of ours");
    }

    /// Deletes the file of an index that is not complete. The tables of a shared one stay: their
    /// position says what they have.
    default void delete() {
        // Nothing to delete.
    }

    /// Executes the last statement on the writer's connection, which has not failed.
    void stop(Connection connection, long messages) throws SQLException;

    // The other methods of DataSource, which the pool does not use.

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
        // User and password stand in the URL.
    }

    @Override
    default int getLoginTimeout() {
        // At its end the pool waits this long for a connection that is being opened.
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
