package org.slipstream.spool.register;

import org.slipstream.core.QueueId;
import org.slipstream.spool.box.Place;
import org.slipstream.spool.register.Register.Located;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Deletes messages with all their rows, a whole group with one statement per table.
///
/// Where a letter lies is asked only of messages whose deleter does not know it. A message that is not there any more is no
/// error and counts nowhere.
final class Removals {
    private final Connection connection;
    private final Occupancy occupancy;
    private final PreparedStatement places;
    private final PreparedStatement recipients;
    private final PreparedStatement messages;
    private final PreparedStatement large;
    private final Map<Long, Optional<Located>> waiting = new LinkedHashMap<>();
    private Map<QueueId, Place> freed = new LinkedHashMap<>();

    Removals(Connection connection, Occupancy occupancy) throws SQLException {
        this.connection = connection;
        this.occupancy = occupancy;
        places = connection.prepareStatement(
                "select id, box_segment, box_offset, own_file, size_bytes from message where id = any(?)");
        recipients = connection.prepareStatement("delete from recipient where message_id = any(?)");
        messages = connection.prepareStatement("delete from message where id = any(?)");
        large = connection.prepareStatement("delete from large_letter where message_id = any(?)");
    }

    void add(QueueId id, Optional<Located> located) {
        waiting.merge(id.value(), located, (known, further) -> known.or(() -> further));
    }

    void send() throws SQLException {
        Map<Long, Located> gone = located();
        waiting.clear();
        if (gone.isEmpty()) {
            return;
        }
        delete(recipients, gone.keySet().toArray());
        delete(messages, gone.keySet().toArray());
        List<Long> ownFiles = new ArrayList<>();
        gone.forEach((id, where) -> {
            occupancy.left(where.place(), where.sizeBytes());
            freed.put(new QueueId(id), where.place());
            if (where.place().ownFile()) {
                ownFiles.add(id);
            }
        });
        if (!ownFiles.isEmpty()) {
            delete(large, ownFiles.toArray());
        }
    }

    private Map<Long, Located> located() throws SQLException {
        Map<Long, Located> known = new LinkedHashMap<>();
        List<Long> unknown = new ArrayList<>();
        waiting.forEach((id, located) -> located.ifPresentOrElse(where -> known.put(id, where), () -> unknown.add(id)));
        if (!unknown.isEmpty()) {
            known.putAll(ask(unknown));
        }
        return known;
    }

    private Map<Long, Located> ask(List<Long> unknown) throws SQLException {
        Map<Long, Located> found = new HashMap<>();
        Array ids = connection.createArrayOf("bigint", unknown.toArray());
        places.setArray(1, ids);
        try (ResultSet rows = places.executeQuery()) {
            while (rows.next()) {
                Place place = new Place(rows.getLong(2), rows.getLong(3), rows.getBoolean(4));
                found.put(rows.getLong(1), new Located(place, rows.getLong(5)));
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

    /// What has been deleted since the last call.
    Map<QueueId, Place> freed() {
        Map<QueueId, Place> taken = freed;
        freed = new LinkedHashMap<>();
        return taken;
    }

    void forget() {
        waiting.clear();
        freed = new LinkedHashMap<>();
    }
}
