package org.slipstream.cluster;

import java.sql.SQLException;
import java.util.List;

/// The orders of operators that stay in force on all nodes, at one place.
public interface OrderTable {
    /// The number of the last change.
    long change() throws SQLException;

    OrdersKept read() throws SQLException;

    /// Keeps an order in place of an earlier one with its key.
    ///
    /// @param replace false: an order that is there stays
    /// @return false when there are too many orders for one more
    boolean keep(OrderRow order, boolean replace) throws SQLException;

    /// Forgets an order.
    ///
    /// @return false when there is none
    boolean forget(OrderKey key) throws SQLException;

    /// One order, as plain values.
    ///
    /// @param kind as in a record of the message log
    /// @param value the number that it sets; empty when there is none
    /// @param untilMillis `Long.MAX_VALUE`: until it is taken back
    public record OrderRow(String kind, String name, String value, String why, String author, long sinceMillis,
            long untilMillis) {
        /// Orders with the same key replace each other.
        public OrderKey key() {
            return new OrderKey(kind, name);
        }
    }

    public record OrderKey(String kind, String name) {}

    /// @param change the number of the last change that these rows contain
    public record OrdersKept(long change, List<OrderRow> rows) {}
}
