package org.slipstream.spool.register;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The hosts' rows. Within one transaction the last word about a key wins; the others are not written at all.
///
/// Deleted and inserted instead of updated: it is the one way to say "insert or replace" that H2 and every PostgreSQL
/// understand alike, and there are few of them.
final class HostWriter {
    private final Connection connection;
    private final PreparedStatement delete;
    private final PreparedStatement insert;
    private final Map<String, HostRow> changed = new LinkedHashMap<>();
    private final Set<String> gone = new LinkedHashSet<>();

    HostWriter(Connection connection) throws SQLException {
        this.connection = connection;
        delete = connection.prepareStatement("delete from host where host_key = any(?)");
        insert = connection.prepareStatement("insert into host (host_key, state, reason, author, until_millis,"
                + " since_millis, data) values (?, ?, ?, ?, ?, ?, ?)");
    }

    void add(Change.Hosts hosts) {
        hosts.forgotten().forEach(key -> {
            gone.add(key);
            changed.remove(key);
        });
        hosts.changed().forEach(row -> {
            gone.add(row.key());
            changed.put(row.key(), row);
        });
    }

    void send() throws SQLException {
        if (gone.isEmpty()) {
            return;
        }
        Array keys = connection.createArrayOf("varchar", gone.toArray());
        delete.setArray(1, keys);
        delete.executeUpdate();
        keys.free();
        for (HostRow row : changed.values()) {
            insert.setString(1, row.key());
            insert.setString(2, row.state());
            insert.setString(3, row.reason());
            insert.setString(4, row.author());
            insert.setLong(5, row.untilMillis());
            insert.setLong(6, row.sinceMillis());
            insert.setString(7, row.data());
            insert.addBatch();
        }
        if (!changed.isEmpty()) {
            insert.executeBatch();
        }
        forget();
    }

    void forget() throws SQLException {
        changed.clear();
        gone.clear();
        insert.clearBatch();
    }

    /// Needs all columns.
    static List<HostRow> read(ResultSet rows) throws SQLException {
        List<HostRow> hosts = new ArrayList<>();
        while (rows.next()) {
            hosts.add(new HostRow(rows.getString("host_key"), rows.getString("state"), rows.getString("reason"),
                    rows.getString("author"), rows.getLong("until_millis"), rows.getLong("since_millis"),
                    rows.getString("data")));
        }
        return hosts;
    }
}
