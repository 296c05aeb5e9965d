package org.slipstream.spool.index;

import org.slipstream.spool.log.RecordPlace;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;

/// Counts what the messages name in each segment of the log, in the transaction that changes it. A group names two or three
/// segments, so a start pays with as many rows as there are segments, and a letter pays next to nothing.
final class Occupancy {
    private static final class Difference {
        long messages;
        long bytes;
    }

    private final PreparedStatement change;
    private final PreparedStatement insert;
    private final PreparedStatement tidy;
    private final Map<Long, Difference> differences = new TreeMap<>();

    Occupancy(Connection connection) throws SQLException {
        change = connection
                .prepareStatement("update segment set letters = letters + ?, bytes = bytes + ? where number = ?");
        insert = connection.prepareStatement("insert into segment (letters, bytes, number) values (?, ?, ?)");
        tidy = connection.prepareStatement("delete from segment where letters = 0");
    }

    void entered(RecordPlace place, long sizeBytes) {
        add(place, 1, sizeBytes);
    }

    void left(RecordPlace place, long sizeBytes) {
        add(place, -1, -sizeBytes);
    }

    private void add(RecordPlace place, long messages, long bytes) {
        Difference difference = differences.computeIfAbsent(place.segment(), _ -> new Difference());
        difference.messages += messages;
        difference.bytes += bytes;
    }

    void send() throws SQLException {
        for (Map.Entry<Long, Difference> each : differences.entrySet()) {
            if (!execute(change, each)) {
                // A new segment: a good moment to forget the empty ones.
                tidy.executeUpdate();
                execute(insert, each);
            }
        }
        differences.clear();
    }

    private static boolean execute(PreparedStatement statement, Map.Entry<Long, Difference> each) throws SQLException {
        statement.setLong(1, each.getValue().messages);
        statement.setLong(2, each.getValue().bytes);
        statement.setLong(3, each.getKey());
        return statement.executeUpdate() > 0;
    }

    void forget() {
        differences.clear();
    }
}
