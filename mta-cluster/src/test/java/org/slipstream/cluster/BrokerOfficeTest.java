package org.slipstream.cluster;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slipstream.cluster.BrokerOffice.OfficeLook;
import org.slipstream.spool.postgres.LogDatabase;
import org.slipstream.testkit.server.TestPostgres;

import java.io.IOException;
import java.sql.SQLException;

import static org.assertj.core.api.Assertions.assertThat;

/// The office of the broker in a real PostgreSQL. Leases end by hand, so nothing waits for them or hurries.
class BrokerOfficeTest {
    private static EmbeddedPostgres postgres;
    private static LogDatabase database;

    @BeforeAll
    static void start() throws IOException, SQLException {
        postgres = TestPostgres.start();
        database = LogDatabase.open(postgres.getJdbcUrl("postgres", "postgres"));
    }

    @AfterAll
    static void stop() throws IOException {
        database.close();
        postgres.close();
    }

    private static void leaseEndsIn(int seconds) throws SQLException {
        database.define("update broker set lease_until = clock_timestamp() + interval '" + seconds + " seconds'");
    }

    @Test
    void oneNodeHasTheOfficeUntilItsLeaseIsOver() throws SQLException {
        BrokerOffice a = new BrokerOffice(database, "a", 1, "192.0.2.1:2526");
        BrokerOffice b = new BrokerOffice(database, "b", 2, "192.0.2.2:2526");
        a.prepare();
        b.prepare();
        OfficeLook first = a.look();
        assertThat(first.mine()).isTrue();
        assertThat(first.epoch()).isEqualTo(1);
        assertThat(first.sinceFormerMillis()).as("there was none").isGreaterThan(3_600_000);
        leaseEndsIn(3_600);
        assertThat(b.look()).isEqualTo(new OfficeLook(1, "192.0.2.1:2526", false, 0));
        assertThat(a.look()).isEqualTo(new OfficeLook(1, "192.0.2.1:2526", true, 0));

        leaseEndsIn(-3);
        OfficeLook taken = b.look();
        assertThat(taken.mine()).isTrue();
        assertThat(taken.epoch()).isEqualTo(2);
        assertThat(taken.sinceFormerMillis()).as("three seconds before its end it was renewed")
                .isBetween(6_000L, 60_000L);
        leaseEndsIn(3_600);
        assertThat(a.look()).isEqualTo(new OfficeLook(2, "192.0.2.2:2526", false, 0));

        b.leave();
        assertThat(b.look().mine()).as("it may come back").isTrue();
        b.leave();
        leaseEndsIn(1_000);
        OfficeLook left = a.look();
        assertThat(left.mine()).as("the lease of the other one has not ended").isTrue();
        assertThat(left.sinceFormerMillis()).as("three seconds before its end it was renewed")
                .isBetween(-997_000L, -1L);
        a.leave();
        BrokerOffice again = new BrokerOffice(database, "a", 9, "192.0.2.1:2526");
        assertThat(again.look().epoch()).as("another process is another holder").isEqualTo(5);
        leaseEndsIn(3_600);
        assertThat(a.look().mine()).isFalse();
    }
}
