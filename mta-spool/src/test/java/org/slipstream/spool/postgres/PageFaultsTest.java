package org.slipstream.spool.postgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.spool.log.LogStore;
import org.slipstream.spool.log.NotOwnerException;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/// A group counts as committed when it is, whatever happens to the connection, the session, the standby or the
/// ownership.
class PageFaultsTest {
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static String direct = "";
    private static int shards;

    private final int shard = ++shards;
    private CuttingProxy proxy;
    private LogDatabase database;
    private PageStore store;

    @BeforeEach
    void open() throws Exception {
        if (direct.isEmpty()) {
            direct = Postgres.database();
            sql("create extension if not exists plpgsql");
        }
        int port = URI.create(direct.substring("jdbc:".length())).getPort();
        proxy = new CuttingProxy(port);
        database = LogDatabase.open(direct.replace(":" + port + "/", ":" + proxy.port() + "/"), 2_000, "");
        store = claimed(database, "a", Duration.ofSeconds(12));
        store.begin(1, octets("head"));
        store.append(octets("kept"));
        store.commit();
    }

    private PageStore claimed(LogDatabase at, String owner, Duration decide) throws IOException {
        return PageStore.open(new LogClaim(at, shard, PageStore.claim(at, shard, owner, LEASE)), Duration.ZERO, decide,
                () -> {});
    }

    @AfterEach
    void close() throws Exception {
        store.close();
        database.close();
        proxy.close();
    }

    private static ByteBuffer octets(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String text(LogStore store, long segment) throws IOException {
        try (LogStore.OpenSegment reading = store.open(segment)) {
            byte[] bytes = new byte[(int) reading.size()];
            reading.read(0, bytes, 0, bytes.length);
            return new String(bytes, StandardCharsets.US_ASCII);
        }
    }

    private static void sql(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(direct);
                Statement statement = connection.createStatement()) {
            statement.execute("set search_path to slipstream, public");
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    private static int number(String query) {
        return Integer.parseInt(text(query));
    }

    /// `0` without a row.
    private static String text(String query) {
        try (Connection connection = DriverManager.getConnection(direct);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() ? row.getString(1) : "0";
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void group(String octets) throws IOException {
        store.append(octets(octets));
        store.commit();
    }

    private CompletableFuture<Void> inBackground(String octets) {
        return CompletableFuture.runAsync(() -> {
            try {
                group(octets);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void aConnectionThatIsLostBeforeTheCommitLeavesNothing() throws Exception {
        proxy.cutAt("INSERT 0 1", 0);
        assertThatThrownBy(() -> group("gone")).isInstanceOf(IOException.class);
        assertThat(proxy.hasCut()).isTrue();
        store.abandon();
        store.begin(2, octets("next"));
        group("more");
        assertThat(text(store, 1)).isEqualTo("headkept");
        assertThat(text(store, 2)).isEqualTo("nextmore");
    }

    @Test
    void aCommitWhoseAnswerIsLostCounts() throws Exception {
        proxy.cutAt("COMMIT", 2);
        group("safe");
        assertThat(proxy.hasCut()).isTrue();
        group("more");
        assertThat(text(store, 1)).isEqualTo("headkeptsafemore");
    }

    @Test
    void aSegmentWhoseBeginningIsInDoubtIsBegunOnce() throws Exception {
        proxy.cutAt("COMMIT", 0);
        store.begin(2, octets("next"));
        assertThat(proxy.hasCut()).isTrue();
        group("more");
        assertThat(text(store, 2)).isEqualTo("nextmore");
    }

    /// The client gets 451 and sends the message again.
    @Test
    void aGroupThatNobodyCouldDecideIsRemoved() throws Exception {
        store.close();
        store = claimed(database, "a", Duration.ZERO);
        store.begin(2, octets("head"));
        proxy.cutAt("COMMIT", 1_000);
        assertThatThrownBy(() -> group("gone")).isInstanceOf(IOException.class);
        store.abandon();
        assertThatThrownBy(() -> store.begin(3, octets("next"))).isInstanceOf(IOException.class);
        try (LogDatabase other = LogDatabase.toLook(direct);
                LogStore looks = PageStore.toLook(other, shard, () -> {})) {
            assertThat(text(looks, 2)).as("the database had committed it").isEqualTo("headgone");
        }
        proxy.heal();
        await().ignoreExceptions().until(() -> store.settle(2) == 4);
        store.begin(3, octets("next"));
        group("more");
        assertThat(text(store, 2)).isEqualTo("head");
        assertThat(text(store, 3)).isEqualTo("nextmore");
    }

    private static void standby(String name) throws SQLException {
        sql("alter system set synchronous_standby_names = '" + name + "'", "select pg_reload_conf()");
    }

    /// A commit waits once the checkpointer has read the setting: it was told before the server made a connection with
    /// it, and reads it before its second checkpoint from there at the latest.
    private static void requireAbsentStandby() throws SQLException {
        standby("absent");
        await().until(() -> text("show synchronous_standby_names").equals("absent"));
        sql("checkpoint", "checkpoint");
    }

    private void endTheWait(String how) throws Exception {
        CompletableFuture<Void> committed;
        try {
            requireAbsentStandby();
            committed = inBackground("once");
            String waits = "select pid from pg_stat_activity where wait_event = 'SyncRep'"
                    + " and application_name = 'slipstream'";
            await().until(() -> number(waits) > 0);
            // The start of the wait tells the first from the second.
            String later = waits + " and query_start > '" + text(waits.replace("pid", "query_start")) + "'";
            number("select 1 from " + how + "(" + number(waits) + ")");
            await().until(() -> number(later) > 0);
            assertThat(committed).as("no standby has it").isNotDone();
        } finally {
            standby("");
        }
        committed.join();
        assertThat(text(store, 1)).isEqualTo("headkeptonce");
    }

    /// PostgreSQL says that the commit succeeded, with a warning.
    @Test
    void aCancelledWaitForTheStandbyIsNoCommit() throws Exception {
        endTheWait("pg_cancel_backend");
    }

    @Test
    void aSessionThatIsEndedInTheWaitForTheStandbyIsNoCommit() throws Exception {
        endTheWait("pg_terminate_backend");
    }

    @Test
    void aSessionThatIsEndedInsideAGroupLeavesNothing() throws Exception {
        store.append(ByteBuffer.allocate(2 * PageStore.PAGE_BYTES));
        number("select 1 from pg_stat_activity a, pg_terminate_backend(a.pid) where state = 'idle in transaction'");
        assertThatThrownBy(store::commit).isInstanceOf(IOException.class);
        store.abandon();
        store.begin(2, octets("next"));
        group("more");
        assertThat(text(store, 1)).isEqualTo("headkept");
    }

    /// The former owner stands still inside a group. Its transaction keeps the shard's row until the server ends it.
    @Test
    void anOwnerThatStandsStillLosesItsGroup() throws Exception {
        store.append(ByteBuffer.allocate(2 * PageStore.PAGE_BYTES));
        try (LogDatabase other = LogDatabase.open(direct);
                PageStore owner = await().atMost(Duration.ofMinutes(1))
                        .ignoreExceptionsMatching(PageFaultsTest::isLocked)
                        .until(() -> claimed(other, "a", LEASE), Objects::nonNull)) {
            assertThatThrownBy(store::commit).isInstanceOf(IOException.class);
            store.abandon();
            assertThatThrownBy(() -> store.begin(2, octets("late"))).isInstanceOf(NotOwnerException.class);
            assertThat(owner.settle(1)).isEqualTo(8);
            owner.begin(2, octets("mine"));
            assertThat(text(owner, 2)).isEqualTo("mine");
        }
    }

    private static boolean isLocked(Throwable failure) {
        return failure.getCause() instanceof SQLException why && "55P03".equals(why.getSQLState());
    }

    @Test
    void anotherServerWaitsForTheEndOfTheLease() throws Exception {
        assertThatThrownBy(() -> PageStore.claim(database, shard, "b", LEASE)).isInstanceOf(InUseException.class);
        group("more");
        assertThat(PageStore.renew(database, shard, store.epoch(), Duration.ZERO)).isTrue();
        assertThat(PageStore.claim(database, shard, "b", LEASE)).isEqualTo(store.epoch() + 1);
        assertThat(PageStore.renew(database, shard, store.epoch(), LEASE)).isFalse();
        assertThatThrownBy(() -> group("late")).isInstanceOf(NotOwnerException.class);
    }

    @Test
    void aFullDatabaseFailsTheGroupAndLosesNothing() throws Exception {
        sql("create function full_disk() returns trigger language plpgsql as $$ begin raise exception"
                + " 'could not extend file: No space left on device' using errcode = '53100'; end $$",
                "create trigger full_disk before insert on page_" + shard + "_0 execute function full_disk()");
        assertThatThrownBy(() -> group("gone")).isInstanceOf(IOException.class)
                .hasMessageContaining("No space left on device");
        store.abandon();
        assertThatThrownBy(() -> store.begin(2, octets("next"))).isInstanceOf(IOException.class);
        sql("drop function full_disk() cascade");
        store.begin(2, octets("next"));
        assertThat(text(store, 1)).isEqualTo("headkept");
        assertThat(text(store, 2)).isEqualTo("next");
    }

    @Test
    void aDatabaseThatOnlyReadsFailsTheGroup() throws Exception {
        sql("alter system set default_transaction_read_only = on", "select pg_reload_conf()");
        try {
            await().untilAsserted(() -> assertThatThrownBy(() -> group("gone")).isInstanceOf(IOException.class));
        } finally {
            sql("set default_transaction_read_only = off",
                    "set session characteristics as transaction read write",
                    "alter system reset default_transaction_read_only", "select pg_reload_conf()");
        }
        store.abandon();
        await().ignoreExceptions().untilAsserted(() -> store.begin(2, octets("next")));
        assertThat(text(store, 1)).startsWith("headkept");
    }

    /// Tables are truncated behind the end of the log, and space does not grow with what went through it.
    @Test
    void theRingTurns() throws Exception {
        for (long segment = 2; segment < 60; segment++) {
            store.begin(segment, octets("head"));
            group("more");
            if (segment > 6) {
                store.delete(segment - 6);
            }
        }
        int pages = 0;
        for (int ring = 0; ring < PageTables.RING; ring++) {
            pages += number("select count(*) from slipstream." + new PageTables(shard).table(ring));
        }
        assertThat(store.segments()).hasSize(6);
        assertThat(pages).isBetween(2 * 6, 2 * 9);
        assertThat(text(store, 55)).isEqualTo("headmore");
    }
}
