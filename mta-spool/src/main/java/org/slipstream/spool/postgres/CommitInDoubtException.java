package org.slipstream.spool.postgres;

import java.sql.SQLException;

/// A transaction may be committed or not: the connection was lost during `COMMIT`, or PostgreSQL ended the
/// wait for a standby, so that the commit is in one copy only.
///
/// A later transaction that writes and commits without this exception decides: what it reads is there, on the
/// standby, too, because the log of the database keeps the order.
public final class CommitInDoubtException extends SQLException {
    private static final long serialVersionUID = 1L;

    CommitInDoubtException(String reason, SQLException cause) {
        super("the outcome of a commit is unknown: " + reason, cause.getSQLState(), cause);
    }
}
