package org.slipstream.spool.index;

import org.slipstream.core.QueueId;
import org.slipstream.spool.index.QueueIndex.Located;
import org.slipstream.spool.log.RecordPlace;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Deletes messages with all their rows, a whole group with one statement per table.
///
/// A message that does not exist is no error and is not counted.
final class Removals {
    private final Connection connection;
    private final Occupancy occupancy;
    private final PreparedStatement places;
    private final PreparedStatement recipients;
    private final PreparedStatement attempts;
    private final PreparedStatement messages;
    private final PreparedStatement large;
    private final Set<Long> waiting = new LinkedHashSet<>();
    private Set<QueueId> freedFiles = new LinkedHashSet<>();

    Removals(Connection connection, Occupancy occupancy) throws SQLException {
        this.connection = connection;
        this.occupancy = occupancy;
        places = connection.prepareStatement(
                "select id, segment, segment_offset, own_file, size_bytes from message where id = any(?)");
        recipients = connection.prepareStatement("delete from recipient where message_id = any(?)");
        attempts = connection.prepareStatement("delete from attempt where message_id = any(?)");
        messages = connection.prepareStatement("delete from message where id = any(?)");
        large = connection.prepareStatement("delete from large_message where message_id = any(?)");
    }

    void add(QueueId id) {
        waiting.add(id.value());
    }

    void send() throws SQLException {
        if (waiting.isEmpty()) {
            return;
        }
        Map<QueueId, Located> gone = locate(waiting);
        waiting.clear();
        if (gone.isEmpty()) {
            return;
        }
        Object[] ids = gone.keySet().stream().map(QueueId::value).toArray();
        delete(recipients, ids);
        delete(attempts, ids);
        delete(messages, ids);
        gone.values().forEach(where -> occupancy.left(where.place(), where.sizeBytes()));
        List<QueueId> ownFiles = gone.entrySet().stream().filter(each -> each.getValue().place().ownFile())
                .map(Map.Entry::getKey).toList();
        if (!ownFiles.isEmpty()) {
            delete(large, ownFiles.stream().map(QueueId::value).toArray());
            freedFiles.addAll(ownFiles);
        }
    }

    /// Places of the contents of those messages that have rows.
    Map<QueueId, Located> locate(Collection<Long> asked) throws SQLException {
        Map<QueueId, Located> found = new HashMap<>();
        if (asked.isEmpty()) {
            return found;
        }
        Array ids = connection.createArrayOf("bigint", asked.toArray());
        places.setArray(1, ids);
        try (ResultSet rows = places.executeQuery()) {
            while (rows.next()) {
                RecordPlace place = new RecordPlace(rows.getLong(2), rows.getLong(3), rows.getBoolean(4));
                found.put(new QueueId(rows.getLong(1)), new Located(place, rows.getLong(5)));
            }
        }
        ids.free();
        return found;
    }

    private void delete(PreparedStatement statement, Object[] values) throws SQLException {
        Array ids = connection.createArrayOf("bigint", values);
        statement.setArray(1, ids);
        statement.executeUpdate();
        ids.free();
    }

    /// Messages with own content files that have been deleted since the last call.
    Set<QueueId> freedFiles() {
        Set<QueueId> taken = freedFiles;
        freedFiles = new LinkedHashSet<>();
        return taken;
    }

    void forget() {
        waiting.clear();
        freedFiles = new LinkedHashSet<>();
    }
}
