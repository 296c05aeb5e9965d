package org.slipstream.spool.index;

import java.sql.Connection;
import java.sql.SQLException;

/// Connections as the index opens them.
public final class Connections {
    private Connections() {}

    public static Connection shared(String url) throws SQLException {
        return new SharedDatabase(url).getConnection();
    }
}
