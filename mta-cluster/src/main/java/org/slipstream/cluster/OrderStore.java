package org.slipstream.cluster;

import org.slipstream.spool.postgres.LogDatabase;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/// The tables `standing_order` and `order_change`: the orders of operators that stay in force, for all nodes.
///
/// Each change raises a number in the same transaction, so a node reads one row to learn that nothing is new.
/// That row also puts the changes in one order.
///
/// Used by any thread.
public final class OrderStore implements OrderTable {
    /// More rows than the orders that the API of one node permits, of all kinds together.
    static final int MOST_ORDERS = 4_000;
    private static final String TABLES = """
            create table if not exists standing_order (
                kind text not null,
                name text not null,
                value text not null,
                why text not null,
                author text not null,
                since_millis bigint not null,
                until_millis bigint not null,
                primary key (kind, name)
            );
            create table if not exists order_change (
                id int primary key check (id = 1),
                change bigint not null
            );
            insert into order_change values (1, 0) on conflict do nothing""";
    /// An order that ended is kept for a day, because the clocks of nodes may differ.
    private static final String LONG_OVER = "until_millis < (extract(epoch from clock_timestamp()) - 86400) * 1000";

    private final LogDatabase database;

    public OrderStore(LogDatabase database) {
        this.database = database;
    }

    /// Makes the tables.
    public void prepare() throws SQLException {
        database.define(TABLES);
    }

    @Override
    public long change() throws SQLException {
        return database.read(OrderStore::change);
    }

    private static long change(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select change from order_change where id = 1")) {
            if (!row.next()) {
                throw new SQLException("the table order_change has no row", "55000");
            }
            return row.getLong(1);
        }
    }

    /// The number is read first, so a change in between is read again.
    @Override
    public OrdersKept read() throws SQLException {
        return database.read(connection -> {
            long change = change(connection);
            List<OrderRow> rows = new ArrayList<>();
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("select kind, name, value, why, author, since_millis,"
                            + " until_millis from standing_order order by since_millis, kind, name")) {
                while (row.next()) {
                    rows.add(new OrderRow(row.getString(1), row.getString(2), row.getString(3), row.getString(4),
                            row.getString(5), row.getLong(6), row.getLong(7)));
                }
            }
            return new OrdersKept(change, rows);
        });
    }

    @Override
    public boolean keep(OrderRow order, boolean replace) throws SQLException {
        boolean kept = database.transaction(connection -> {
            changes(connection);
            run(connection, "delete from standing_order where " + LONG_OVER);
            return run(connection, "insert into standing_order select ?, ?, ?, ?, ?, ?, ? where " + MOST_ORDERS
                    + " > (select count(*) from standing_order) or exists (select from standing_order where kind = ?"
                    + " and name = ?) on conflict (kind, name) do "
                    + (replace
                            ? "update set value = excluded.value, why = excluded.why, author = excluded.author,"
                                    + " since_millis = excluded.since_millis, until_millis = excluded.until_millis"
                            : "nothing"),
                    order.kind(), order.name(), order.value(), order.why(), order.author(), order.sinceMillis(),
                    order.untilMillis(), order.kind(), order.name()) == 1;
        });
        return kept || !replace;
    }

    @Override
    public boolean forget(OrderKey key) throws SQLException {
        return database.transaction(connection -> {
            changes(connection);
            return run(connection, "delete from standing_order where kind = ? and name = ?", key.kind(),
                    key.name()) == 1;
        });
    }

    private static void changes(Connection connection) throws SQLException {
        run(connection, "update order_change set change = change + 1 where id = 1");
    }

    private static int run(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
