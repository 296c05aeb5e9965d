package org.slipstream.spool.register;

import java.sql.Connection;
import java.sql.SQLException;

/// Connections as the register opens them.
public final class Connections {
    private Connections() {}

    public static Connection shared(String url) throws SQLException {
        return SharedDatabase.at(url).getConnection();
    }
}
