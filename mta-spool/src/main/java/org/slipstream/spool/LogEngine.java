package org.slipstream.spool;

/// Place of the message log.
public enum LogEngine {
    /// Segment files in the folder of the spool.
    FILES,
    /// Pages in a PostgreSQL.
    POSTGRESQL
}
