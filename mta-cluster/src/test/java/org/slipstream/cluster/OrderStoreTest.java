package org.slipstream.cluster;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Test;
import org.slipstream.cluster.OrderTable.OrderKey;
import org.slipstream.cluster.OrderTable.OrderRow;
import org.slipstream.spool.postgres.LogDatabase;
import org.slipstream.testkit.server.TestPostgres;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// The orders of operators in a real PostgreSQL.
class OrderStoreTest {
    private static OrderRow order(String name, String why, long until) {
        return new OrderRow("limit", name, "3", why, "ann", 1, until);
    }

    @Test
    void ordersAreKeptReplacedAndForgottenWithAGrowingNumber() throws IOException, SQLException {
        try (EmbeddedPostgres postgres = TestPostgres.start();
                LogDatabase database = LogDatabase.open(postgres.getJdbcUrl("postgres", "postgres"))) {
            OrderStore store = new OrderStore(database);
            store.prepare();
            store.prepare();
            assertThat(store.read()).isEqualTo(new OrderTable.OrdersKept(0, List.of()));
            assertThat(store.keep(order("a", "first", Long.MAX_VALUE), true)).isTrue();
            assertThat(store.keep(order("a", "second", Long.MAX_VALUE), true)).isTrue();
            assertThat(store.keep(order("a", "third", Long.MAX_VALUE), false)).as("an order is there").isTrue();
            assertThat(store.read().rows()).containsExactly(order("a", "second", Long.MAX_VALUE));
            assertThat(store.read().change()).isEqualTo(store.change()).isEqualTo(3);

            // An order that ended days ago goes with the next one.
            store.keep(order("old", "", 1), true);
            store.keep(order("b", "", Long.MAX_VALUE), true);
            assertThat(store.read().rows()).extracting(OrderRow::name).containsExactly("a", "b");
            assertThat(store.forget(new OrderKey("limit", "a"))).isTrue();
            assertThat(store.forget(new OrderKey("limit", "a"))).isFalse();
            assertThat(store.read().rows()).extracting(OrderRow::name).containsExactly("b");

            database.define("insert into standing_order select 'limit', 'n' || n, '', '', '', 1, " + Long.MAX_VALUE
                    + " from generate_series(2, " + OrderStore.MOST_ORDERS + ") n");
            assertThat(store.keep(order("one more", "", Long.MAX_VALUE), true)).isFalse();
            assertThat(store.keep(order("b", "replaced", Long.MAX_VALUE), true)).isTrue();
            store.forget(new OrderKey("limit", "n2"));
            assertThat(store.keep(order("one more", "", Long.MAX_VALUE), true)).isTrue();
        }
    }
}
