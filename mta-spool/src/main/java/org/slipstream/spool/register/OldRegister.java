package org.slipstream.spool.register;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// What a register that was set aside can still tell the one that was made anew from the box.
///
/// The box knows letters, who has had them, and what is held. It does not know when a message is due next, whether its sender was told
/// of the delay, and what was learnt about hosts. Without that nothing is lost, but every deferred message is tried at once and every
/// sender is told once more. So the old file is opened for reading and its tables are read row by row, for as long as rows come.
/// Much damage keeps H2 from opening a file at all, and then nothing comes.
///
/// The rows may be wrong: H2 has no checksum over what its pages hold. Hence nothing is taken that could do harm: a time further away
/// than a message ever waits for its next attempt is left out, and that message is due at once.
public final class OldRegister {
    private static final Logger LOG = LoggerFactory.getLogger(OldRegister.class);
    private static final long LONGEST_WAIT_MILLIS = TimeUnit.DAYS.toMillis(1);
    private static final int BATCH = 1000;

    private final Register target;
    private final List<Change> waiting = new ArrayList<>();
    private long carried;

    private OldRegister(Register target) {
        this.target = target;
    }

    private interface Row {
        Change change(ResultSet row) throws SQLException;
    }

    /// @param file the old register, under its new name
    /// @param target has been filled from the box
    public static void carryOver(Path file, Register target, long nowMillis) throws RegisterException {
        OldRegister old = new OldRegister(target);
        try (Connection connection = DriverManager.getConnection(url(file), "sa", "")) {
            old.read(connection, "select id, next_millis from message where next_millis > " + nowMillis
                    + " and next_millis <= " + (nowMillis + LONGEST_WAIT_MILLIS),
                    row -> new Change.NextAttempt(new QueueId(row.getLong(1)), row.getLong(2)));
            old.read(connection, "select id from message where delay_notified",
                    row -> new Change.DelayReported(new QueueId(row.getLong(1))));
            old.read(connection, HostRows.ALL, row -> new Change.KeepHost(HostRows.readOne(row)));
        } catch (SQLException e) {
            LOG.debug("event=old-register-not-read file={} error=\"{}\"", file, e.toString());
        }
        old.send();
        target.barrier();
        LOG.info("event=old-register-read file={} carried={}", file, old.carried);
    }

    private static String url(Path file) {
        String path = file.toAbsolutePath().toString();
        return "jdbc:h2:file:" + path.substring(0, path.length() - ".mv.db".length())
                + ";ACCESS_MODE_DATA=r;IFEXISTS=TRUE;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH"
                + ";DB_CLOSE_ON_EXIT=FALSE;TRACE_LEVEL_FILE=0";
    }

    /// As far as rows come; what follows a page that cannot be read stays where it is.
    private void read(Connection connection, String query, Row row) throws RegisterException {
        try (PreparedStatement statement = connection.prepareStatement(query);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                waiting.add(row.change(rows));
                if (waiting.size() >= BATCH) {
                    send();
                }
            }
        } catch (SQLException | RuntimeException e) {
            LOG.debug("event=old-register-not-read query=\"{}\" error=\"{}\"", query, e.toString());
        }
    }

    private void send() throws RegisterException {
        if (!waiting.isEmpty()) {
            target.write(waiting);
            carried += waiting.size();
            waiting.clear();
        }
    }
}
