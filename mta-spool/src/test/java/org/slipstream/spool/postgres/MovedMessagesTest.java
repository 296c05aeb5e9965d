package org.slipstream.spool.postgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.spool.log.UndecidedException;
import org.slipstream.spool.postgres.MovedMessages.Fate;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/// A mover without an answer is told where its message is.
class MovedMessagesTest {
    private static final int SHARD = 7;
    private static final QueueId MOVED = QueueId.after(0, 1_000, 64);
    private static final QueueId OTHER = QueueId.after(0, 2_000, 64);

    private String direct = "";
    private CuttingProxy proxy;
    private LogDatabase database;
    private PageStore store;
    private MovedMessages rows;

    @BeforeEach
    void open() throws Exception {
        direct = Postgres.database();
        int port = URI.create(direct.substring("jdbc:".length())).getPort();
        proxy = new CuttingProxy(port);
        database = LogDatabase.open(direct.replace(":" + port + "/", ":" + proxy.port() + "/"), 5_000,
                "set idle_in_transaction_session_timeout = 0");
        store = claimed("a");
        rows = MovedMessages.open(direct, "a", Set.of());
        store.begin(1, octets("head"));
    }

    private PageStore claimed(String owner) throws IOException {
        long epoch = PageStore.claim(database, SHARD, owner, Duration.ofMinutes(1));
        return PageStore.open(new LogClaim(database, SHARD, epoch), Duration.ZERO, Duration.ZERO, () -> {});
    }

    @AfterEach
    void close() throws Exception {
        store.close();
        rows.close();
        database.close();
        proxy.close();
    }

    private static ByteBuffer octets(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private void take(QueueId id) throws IOException {
        store.moves(Set.of(id), Set.of());
        store.append(octets("mail"));
        store.commit();
    }

    private Fate fate(QueueId id) throws IOException {
        return rows.settle(List.of(id), Set.of(SHARD)).getOrDefault(id, Fate.UNDECIDED);
    }

    /// As after the end of the lease.
    private void anotherNodeClaims() throws SQLException {
        try (Connection on = DriverManager.getConnection(direct); Statement statement = on.createStatement()) {
            statement.execute("update slipstream.shard set epoch = epoch + 1, owner = 'b'");
        }
    }

    @Test
    void aMessageIsThereOnlyWhenItsGroupIs() throws Exception {
        assertThat(fate(MOVED)).isEqualTo(Fate.NOT_TAKEN);
        proxy.cutAt("INSERT 0 1", 0);
        assertThatThrownBy(() -> take(MOVED)).isInstanceOf(IOException.class);
        store.abandon();
        assertThat(fate(MOVED)).isEqualTo(Fate.NOT_TAKEN);
        store.begin(2, octets("next"));
        take(MOVED);
        assertThat(rows.rows()).containsExactly(MOVED);
        assertThat(fate(OTHER)).isEqualTo(Fate.NOT_TAKEN);
        anotherNodeClaims();
        assertThat(fate(MOVED)).isEqualTo(Fate.TAKEN);
        rows.forget(List.of(MOVED));
        assertThat(rows.rows()).isEmpty();
    }

    private void takeWithoutAnAnswer() {
        proxy.cutAt("COMMIT", 1_000);
        assertThatThrownBy(() -> take(MOVED)).isInstanceOf(UndecidedException.class);
        store.abandon();
        proxy.heal();
    }

    /// Its first answer would have been wrong: the log takes the group back.
    @Test
    void aGroupThatIsTakenBackTakesItsMessageWithIt() throws Exception {
        takeWithoutAnAnswer();
        assertThat(fate(MOVED)).as("the database had committed it").isEqualTo(Fate.UNDECIDED);
        await().ignoreExceptions().until(() -> store.settle(1) == 4);
        assertThat(fate(MOVED)).isEqualTo(Fate.NOT_TAKEN);
    }

    @Test
    void aGroupWhoseOwnerLostTheShardIsTheNextOwners() throws Exception {
        takeWithoutAnAnswer();
        anotherNodeClaims();
        assertThat(fate(MOVED)).isEqualTo(Fate.TAKEN);
        await().until(() -> {
            assertThatThrownBy(() -> store.settle(1)).isInstanceOf(IOException.class);
            return fate(MOVED) == Fate.TAKEN;
        });
    }

    /// The server gave the log up while it wrote, and the write succeeded nevertheless.
    @Test
    void aMessageThatIsWithdrawnIsNotThere() throws Exception {
        take(MOVED);
        store.moves(Set.of(OTHER), Set.of(MOVED));
        store.append(octets("removal"));
        store.commit();
        anotherNodeClaims();
        assertThat(fate(MOVED)).isEqualTo(Fate.NOT_TAKEN);
        assertThat(fate(OTHER)).isEqualTo(Fate.TAKEN);
    }

    @Test
    void theQuestionWaitsForATransactionUnderWay() throws Exception {
        store.moves(Set.of(MOVED), Set.of());
        store.append(ByteBuffer.allocate(2 * PageStore.PAGE_BYTES));
        Thread asks = Thread.ofPlatform().daemon().start(() -> {
            try {
                assertThat(fate(MOVED)).isNotEqualTo(Fate.NOT_TAKEN);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        Throwable[] wrong = new Throwable[1];
        asks.setUncaughtExceptionHandler((_, why) -> wrong[0] = why);
        await().until(() -> {
            try (Connection on = DriverManager.getConnection(direct); Statement statement = on.createStatement()) {
                return statement.executeQuery("select 1 from pg_locks where not granted").next();
            }
        });
        store.commit();
        asks.join();
        assertThat(wrong[0]).isNull();
    }

    @Test
    void eachNodeHasANumberOfItsOwn() throws Exception {
        assertThat(rows.number()).isEqualTo(64);
        try (MovedMessages again = MovedMessages.open(direct, "a", Set.of());
                MovedMessages other = MovedMessages.open(direct, "b", Set.of());
                MovedMessages third = MovedMessages.open(direct, "", Set.of(62))) {
            assertThat(List.of(again.number(), other.number(), third.number())).containsExactly(64, 63, 61);
        }
    }
}
