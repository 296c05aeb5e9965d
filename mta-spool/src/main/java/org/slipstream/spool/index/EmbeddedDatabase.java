package org.slipstream.spool.index;

import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.store.fs.FilePath;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Optional;

import javax.sql.DataSource;

/// H2 in this process. It is opened again each time it has closed itself, which H2 does after a
/// failed write.
///
/// **Two rules** keep a failed write (a full disk) from stopping the writer indefinitely. Both work
/// around faults of H2 2.4.240, which this build is pinned to (ADR 34 has the proof):
///
/// - *After a failure nothing is executed on that session.* A `ROLLBACK` whose end fails releases
///   the transaction's version twice (`Transaction.closeIt` leaves the counter that
///   `releaseSnapshot` releases again). The counter of the store is -1 then, and the next
///   statement, even `SHUTDOWN IMMEDIATELY`, spins in `MVStore.registerVersionUsage` until the
///   process ends. So the database is shut down by a call, and the session is closed without a
///   statement.
/// - *A closed database is opened under another name.* H2 lists its open databases by name. Each
///   session that meets the closed store removes the name from the list, however late, and so
///   removes a new database of the same name. The new database keeps the lock of the file, so every
///   later connection fails with "may be already in use". [ReopenedFile] gives the same file a new
///   name. Connections are opened one at a time, so that each name is opened once.
final class EmbeddedDatabase implements DataSource {
    private static final Logger log = LoggerFactory.getLogger(EmbeddedDatabase.class);
    private static final long WORTH_COMPACTING_BYTES = 64 << 20;
    private static final long FEW_MESSAGES = 10_000;
    /// Limit for opening a connection.
    private static final int OPENING_SECONDS = 5;

    static {
        FilePath.register(new ReopenedFile());
    }

    private final Path file;
    private final String name;
    private final String settings;
    private Optional<org.h2.engine.Database> current = Optional.empty();
    private int reopenings;

    /// @param fileSystem the one of H2's file systems that holds the file; @param path without the
    ///     extension
    /// @param settings the part of the URL behind the path
    EmbeddedDatabase(String fileSystem, String path, String settings) {
        name = fileSystem + ":" + path;
        this.settings = settings;
        file = Path.of(path + ".mv.db");
    }

    @Override
    public synchronized Connection getConnection() throws SQLException {
        if (current.filter(EmbeddedDatabase::isDead).isPresent()) {
            abandonCurrent();
        }
        Connection connection = DriverManager.getConnection(url(), "sa", "");
        org.h2.engine.Database opened = session(connection).getDatabase();
        if (current.filter(before -> before != opened).isPresent()) {
            // The database closed itself just now, and H2 has opened the file under the old name.
            opened.shutdownImmediately();
            abandonCurrent();
            throw new SQLException("the database was closed", "08003");
        }
        current = Optional.of(opened);
        return connection;
    }

    private String url() {
        return "jdbc:h2:" + (reopenings == 0 ? name : ReopenedFile.name(reopenings, name)) + settings;
    }

    private static boolean isDead(org.h2.engine.Database database) {
        return database.isClosing() || database.getStore().getMvStore().isClosed();
    }

    private void abandonCurrent() {
        current.filter(database -> !database.isClosing()).ifPresent(org.h2.engine.Database::shutdownImmediately);
        current = Optional.empty();
        reopenings++;
    }

    private static SessionLocal session(Connection connection) throws SQLException {
        return (SessionLocal) connection.unwrap(JdbcConnection.class).getSession();
    }

    /// Makes durable what `connection` has committed.
    void sync(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("checkpoint sync");
        }
    }

    /// Closes the writer's connection after a failure, without a statement.
    synchronized void abandon(Connection broken) {
        try {
            SessionLocal session = session(broken);
            // Readers may have opened the database again.
            if (current.filter(database -> database == session.getDatabase()).isPresent()) {
                abandonCurrent();
            }
            session.close();
        } catch (SQLException | RuntimeException e) {
            log.debug("event=connection-dropped error=\"{}\"", e.getMessage());
        }
    }

    /// Removes the database from this process's memory, where `DB_CLOSE_DELAY` would keep it.
    /// Otherwise a new file of the same name would meet the old database.
    synchronized void abandon() {
        abandonCurrent();
    }

    /// Sets an unreadable file aside. The next connection opens an empty database.
    synchronized void setAside() throws SQLException {
        abandonCurrent();
        try {
            Files.move(file, file.resolveSibling("index-damaged.mv.db"), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new SQLException("cannot set the index aside", e);
        }
    }

    /// Deletes the file of an index that is not complete.
    synchronized void delete() {
        abandonCurrent();
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            log.warn("event=index-not-deleted file={} error=\"{}\"", file, e.toString());
        }
    }

    /// Executes the last statement on the writer's connection, which has not failed. Compacts the file only when
    /// that is quick and worth it: after a long queue has left it large.
    void stop(Connection connection, long messages) throws SQLException {
        boolean wasteful = file.toFile().length() > WORTH_COMPACTING_BYTES && messages < FEW_MESSAGES;
        try (Statement statement = connection.createStatement()) {
            statement.execute(wasteful ? "shutdown compact" : "shutdown");
        }
    }

    // The other methods of DataSource, which the pool does not use.

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLoginTimeout(int seconds) {
        // A file has none.
    }

    @Override
    public int getLoginTimeout() {
        // At its end the pool waits this long for a connection that is being opened.
        return OPENING_SECONDS;
    }

    @Override
    public java.util.logging.Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
