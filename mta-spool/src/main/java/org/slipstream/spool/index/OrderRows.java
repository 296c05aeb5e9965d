package org.slipstream.spool.index;

import org.slipstream.core.queue.StandingOrder;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// Standing orders of operators as rows. They are few and no message depends on them, so each is written by itself.
final class OrderRows {
    static final String ALL = """
            select kind, name, setting, words, author, since_millis, until_millis from standing_order
             order by kind, name""";

    private OrderRows() {}

    static void keep(Connection connection, StandingOrder order) throws SQLException {
        forget(connection, order.kind(), order.name());
        try (PreparedStatement row = connection.prepareStatement("""
                insert into standing_order (kind, name, setting, words, author, since_millis, until_millis)
                 values (?, ?, ?, ?, ?, ?, ?)""")) {
            row.setString(1, order.kind());
            row.setString(2, HostRows.clean(order.name()));
            row.setString(3, order.value());
            row.setString(4, HostRows.clean(order.why()));
            row.setString(5, HostRows.clean(order.author()));
            row.setLong(6, order.sinceMillis());
            row.setLong(7, order.untilMillis());
            row.executeUpdate();
        }
    }

    static void forget(Connection connection, String kind, String name) throws SQLException {
        try (PreparedStatement row = connection
                .prepareStatement("delete from standing_order where kind = ? and name = ?")) {
            row.setString(1, kind);
            row.setString(2, HostRows.clean(name));
            row.executeUpdate();
        }
    }

    static List<StandingOrder> read(ResultSet rows) throws SQLException {
        List<StandingOrder> orders = new ArrayList<>();
        while (rows.next()) {
            StandingOrder.of(rows.getString(1), rows.getString(2), rows.getString(3), rows.getString(4),
                    rows.getString(5), rows.getLong(6), rows.getLong(7)).ifPresent(orders::add);
        }
        return orders;
    }
}
