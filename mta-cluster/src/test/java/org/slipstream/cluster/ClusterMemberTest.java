package org.slipstream.cluster;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.cluster.OwnershipChange.Leaving;
import org.slipstream.cluster.OwnershipChange.Lost;
import org.slipstream.cluster.OwnershipChange.Taken;
import org.slipstream.core.CheckFinding;
import org.slipstream.spool.postgres.LogDatabase;
import org.slipstream.testkit.server.TestPostgres;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Nodes in this process over one real PostgreSQL.
class ClusterMemberTest {
    private static EmbeddedPostgres postgres;
    private static int databases;

    private final List<Node> nodes = new ArrayList<>();
    private String url;

    private static final class Node implements AutoCloseable {
        final String name;
        final List<OwnershipChange> changes = new CopyOnWriteArrayList<>();
        final AtomicLong ahead = new AtomicLong();
        final ClusterMember member;

        Node(String url, String name) throws IOException {
            this.name = name;
            member = ClusterMember.join(url, name, "192.0.2.1:25", "1.0", changes::add,
                    () -> System.nanoTime() + ahead.get());
        }

        long takes(int shard) {
            await().until(() -> has(Taken.class, shard));
            return last(Taken.class, shard).map(each -> ((Taken) each).epoch()).orElseThrow();
        }

        boolean has(Class<? extends OwnershipChange> kind, int shard) {
            return last(kind, shard).isPresent();
        }

        private Optional<OwnershipChange> last(Class<? extends OwnershipChange> kind, int shard) {
            return changes.stream().filter(each -> kind.isInstance(each) && each.shard() == shard)
                    .reduce((_, later) -> later);
        }

        @Override
        public void close() {
            member.close();
        }
    }

    @BeforeAll
    static void start() throws IOException {
        postgres = TestPostgres.start();
    }

    @AfterAll
    static void stop() throws IOException {
        postgres.close();
    }

    @BeforeEach
    void makeDatabase() throws SQLException {
        String name = "cluster" + ++databases;
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + name);
        }
        url = postgres.getJdbcUrl("postgres", name);
    }

    @AfterEach
    void closeNodes() {
        nodes.forEach(Node::close);
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(90));
    }

    private Node node(String name) throws IOException {
        Node node = new Node(url, name);
        nodes.add(node);
        return node;
    }

    private void sql(String statement) throws SQLException {
        try (LogDatabase database = LogDatabase.open(url)) {
            database.define(statement);
        }
    }

    @Test
    void eachNodeGetsAShardAndAnOrderMovesOneAtOnce() throws IOException {
        Node a = node("a");
        assertThat(a.takes(1)).isEqualTo(1);
        Node b = node("b");
        assertThat(b.takes(2)).isEqualTo(1);
        assertThat(a.member.mayStart(1, 1)).isTrue();
        assertThat(a.member.mayStart(2, 1)).isFalse();
        assertThat(a.member.look().heldBy("b")).containsExactly(2);

        assertThat(b.member.moveTo(9, "b")).isFalse();
        assertThat(b.member.moveTo(1, "b")).isTrue();
        await().until(() -> a.changes.contains(new Leaving(1, 1, "b")));
        assertThat(b.has(Taken.class, 1)).isFalse();
        // The deliveries of the former owner have ended.
        a.member.closed(1);
        assertThat(b.takes(1)).isEqualTo(2);
        assertThat(a.member.mayEnd(1, 1)).isFalse();
        // A node without a shard makes one, and does not ask the moved one back.
        a.takes(3);
        assertThat(b.changes).noneMatch(Leaving.class::isInstance);
        assertThat(b.member.look().shard(1).orElseThrow().moveTo()).isEmpty();
    }

    @Test
    void aShardWhoseLeaseIsOverIsTakenAndItsFormerOwnerLosesIt() throws Exception {
        Node a = node("a");
        a.takes(1);
        Node b = node("b");
        b.takes(2);
        // Its machine stands still: its renewals are seconds old when it goes on.
        a.member.stopClaiming();
        a.ahead.set(Duration.ofSeconds(5).toNanos());
        sql("update shard set epoch = 5, owner = 'x', lease_until = clock_timestamp() where number = 1");
        assertThat(b.takes(1)).isEqualTo(6);
        assertThat(a.member.mayEnd(1, 1)).isFalse();
        await().until(() -> a.changes.contains(new Lost(1, 1)));
    }

    @Test
    void aNodeThatComesBackAsksForAShardOfTheOneWithTwo() throws IOException {
        Node a = node("a");
        a.takes(1);
        node("b").takes(2);
        a.member.stopClaiming();
        a.member.closed(1);
        a.close();
        Node b = nodes.getLast();
        b.takes(1);
        assertThat(b.member.look().node("a")).isEmpty();
        Node again = node("a");
        await().until(() -> b.changes.stream().anyMatch(Leaving.class::isInstance));
        int leaving = b.changes.stream().filter(Leaving.class::isInstance).findFirst().orElseThrow().shard();
        b.member.closed(leaving);
        again.takes(leaving);
        assertThat(again.member.look().shards()).hasSize(2);
    }

    @Test
    void aNameBelongsToOneServer() throws Exception {
        node("a").takes(1);
        try (LogDatabase database = LogDatabase.open(url)) {
            OwnershipStore other = new OwnershipStore(database, "a");
            assertThat(other.register("192.0.2.2:25", "1.0")).isFalse();
            // A long pause: the other one starts.
            database.define("update node set seen = clock_timestamp() - interval '10 seconds'");
            await().until(() -> {
                database.define("update node set seen = clock_timestamp() - interval '10 seconds'");
                return other.register("192.0.2.2:25", "1.0");
            });
        }
        Node first = nodes.getFirst();
        await().until(() -> first.has(Lost.class, 1));
        assertThat(first.member.mayEnd(1, 1)).isFalse();
    }

    private List<String> settingsFindings() {
        return SettingsCheck.run(url).stream().map(CheckFinding::text).toList();
    }

    @Test
    void nodesTellTheirSettingsAndACheckComparesThem() throws Exception {
        assertThat(settingsFindings()).as("a database without nodes").isEmpty();
        Node a = node("a");
        Node b = node("b");
        // A busy machine may take a node for silent for a moment.
        finds("node a (1.0) does not tell its settings", "node b (1.0) does not tell its settings");
        a.member.settings(SettingPrints.of(Map.of("queue.lanes", "6")));
        b.member.settings(SettingPrints.of(Map.of("queue.lanes", "6")));
        finds("the same on nodes a, b");
        // A reload of one of them.
        b.member.settings(SettingPrints.of(Map.of("queue.lanes", "7")));
        finds("queue.lanes of the nodes differ: a | b");
        // An earlier program takes the place of node b, and leaves the column as it finds it.
        sql("update node set started = clock_timestamp(), version = '0.9', seen = clock_timestamp() + interval '1 h'"
                + " where name = 'b'");
        finds("node b (0.9) does not tell its settings");
        // A cluster of earlier programs alone.
        sql("alter table node rename column settings to other");
        finds("node a (1.0) does not tell its settings", "node b (0.9) does not tell its settings");
    }

    private void finds(String... sentences) {
        await().untilAsserted(() -> assertThat(settingsFindings()).containsExactly(sentences));
    }

    private static OwnershipStore of(LogDatabase database, String name, int oldest, int newest) {
        return new OwnershipStore(database, name, new ClusterFormat(oldest, newest));
    }

    /// An upgrade, one node after the other, to a version with a further format.
    @Test
    void theFormatIsRaisedWhenTheLastNodeKnowsItAndAnEarlierProgramIsRefusedFromThenOn() throws Exception {
        try (LogDatabase database = LogDatabase.open(url)) {
            OwnershipStore earlier = of(database, "a", 1, 1);
            OwnershipStore next = of(database, "b", 1, 2);
            assertThat(earlier.register("", "1.0")).isTrue();
            // A column that the earlier program does not know is in no one's way.
            database.define("alter table node add column if not exists made_up text not null default 'x'");
            assertThat(next.register("", "2.0")).isTrue();
            assertThat(next.format()).isEqualTo(1);
            assertThat(earlier.look().nodes()).hasSize(2);

            // Silent is not gone: it may go on where it stood.
            database.define("update node set seen = clock_timestamp() - interval '1 day' where name = 'a'");
            assertThat(of(database, "c", 1, 2).register("", "2.0")).isTrue();
            assertThat(next.format()).isEqualTo(1);

            assertThat(of(database, "a", 1, 2).register("", "2.0")).isTrue();
            assertThat(next.format()).isEqualTo(2);
            assertThatThrownBy(() -> earlier.register("", "1.0")).hasMessageContaining("has format 2")
                    .hasMessageContaining("install the version that the other nodes have");
            assertThatThrownBy(() -> of(database, "d", 3, 4).register("", "4.0"))
                    .hasMessageContaining("to a version between the two first");
            assertThat(next.look().nodes()).hasSize(3);
            assertThatThrownBy(() -> node("e")).isInstanceOf(IOException.class)
                    .hasMessageStartingWith("the cluster has format 2");
        }
    }

    @Test
    void aShardThatCannotBeOpenedHereGoesToAnotherNode() throws IOException {
        Node a = node("a");
        a.takes(1);
        a.member.refused(1);
        // Otherwise the other node, which has no shard either, may make it.
        assertThat(a.takes(2)).isEqualTo(1);
        node("b").takes(1);
    }
}
