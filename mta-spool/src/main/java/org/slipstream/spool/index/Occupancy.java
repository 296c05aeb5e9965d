package org.slipstream.spool.index;

import org.slipstream.spool.log.RecordPlace;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;

/// Counts the messages and bytes of each segment of the log, in the transaction that changes them.
/// A group names two or three segments, so the cost per message is small, and a start reads one row
/// per segment.
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
                .prepareStatement("update segment set messages = messages + ?, bytes = bytes + ? where number = ?");
        insert = connection.prepareStatement("insert into segment (messages, bytes, number) values (?, ?, ?)");
        tidy = connection.prepareStatement("delete from segment where messages = 0");
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
                // The rows of empty segments are deleted when a new segment begins.
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
