package org.slipstream.spool.index;

import org.slipstream.spool.log.HostRecord;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// Host records as rows. They change rarely, so each is written by itself. No message depends on
/// them, so their order among changes of messages does not matter.
final class HostRows {
    static final String ALL = """
            select host, kind, name, since_millis, until_millis, failures, words, author from host
             order by host, kind""";

    private HostRows() {}

    // Two statements, because H2 and PostgreSQL have no common upsert.
    static void keep(Connection connection, HostRecord host) throws SQLException {
        forget(connection, host.host(), host.kind());
        try (PreparedStatement row = connection.prepareStatement("""
                insert into host (host, kind, name, since_millis, until_millis, failures, words, author)
                 values (?, ?, ?, ?, ?, ?, ?, ?)""")) {
            row.setString(1, clean(host.host()));
            row.setString(2, host.kind());
            row.setString(3, clean(host.name()));
            row.setLong(4, host.sinceMillis());
            row.setLong(5, host.untilMillis());
            row.setInt(6, host.failures());
            row.setString(7, clean(host.words()));
            row.setString(8, clean(host.author()));
            row.executeUpdate();
        }
    }

    static void forget(Connection connection, String host, String kind) throws SQLException {
        try (PreparedStatement row = connection.prepareStatement("delete from host where host = ? and kind = ?")) {
            row.setString(1, clean(host));
            row.setString(2, kind);
            row.executeUpdate();
        }
    }

    static List<HostRecord> read(ResultSet rows) throws SQLException {
        List<HostRecord> hosts = new ArrayList<>();
        while (rows.next()) {
            hosts.add(readOne(rows));
        }
        return hosts;
    }

    static HostRecord readOne(ResultSet row) throws SQLException {
        return new HostRecord(row.getString(1), row.getString(2), row.getString(3), row.getLong(4), row.getLong(5),
                row.getInt(6), row.getString(7), row.getString(8));
    }

    // PostgreSQL takes no NUL in a text.
    static String clean(String text) {
        return text.replace('\0', ' ');
    }
}
