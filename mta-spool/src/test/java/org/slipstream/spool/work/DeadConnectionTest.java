package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.Spool;
import org.slipstream.spool.postgres.Postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The index is in a PostgreSQL, and the network drops its connections silently: no byte comes
/// back, and no end of the stream either. PostgreSQL does not notice, so the session of the dead
/// connection goes on and keeps its lock.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeadConnectionTest {
    /// Instead of 30 s.
    private static final String SHORT_TIMEOUT = "&socketTimeout=1&prepareThreshold=0";
    private static final Outcome BUSY = Outcome.of(Reply.of(451, "4.3.2", "busy"), "mx.example.net");

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();
    private String direct;
    private Network network;

    @BeforeEach
    void connect() throws Exception {
        direct = Postgres.database();
        URI server = URI.create(direct.substring("jdbc:".length()));
        network = new Network(server.getPort());
        world.database = Optional.of(direct.replace(":" + server.getPort() + "/", ":" + network.port() + "/")
                + SHORT_TIMEOUT);
    }

    @AfterEach
    void disconnect() {
        network.close();
    }

    @Test
    void aMessageIsAcceptedAndTheIndexHasItWhenTheNetworkIsBack() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId before = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            assertThat(spool.counts().messages()).isEqualTo(1);
            network.forgetsConnections = true;
            QueueId accepted = TestMessages.commit(spool, "bob@example.net", TestMessages.body(100, 9));
            assertThatThrownBy(spool::counts).isInstanceOf(IOException.class);
            assertThat(spool.troubles()).anySatisfy(
                    trouble -> assertThat(trouble.what()).isEqualTo(Spool.What.INDEX));
            assertThat(TestMessages.read(spool, accepted)).as("it can be delivered")
                    .isEqualTo(TestMessages.body(100, 9));
            network.forgetsConnections = false;
            assertThat(listedAtLast(spool)).containsExactly(before, accepted);
        }
    }

    /// The database has the transaction and cannot confirm it.
    @Test
    void aTransactionWhoseCommitIsNotAnsweredIsNotAppliedAgain() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId tried = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            assertThat(spool.counts().messages()).isEqualTo(1);
            network.forgetsAfter = "COMMIT";
            QueueId accepted = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            TestMessages.done(then -> spool.record(tried, List.of(new RecipientOutcome(1, BUSY)), then));
            assertThatThrownBy(spool::counts).isInstanceOf(IOException.class);
            Awaitility.await().atMost(Duration.ofSeconds(90))
                    .until(() -> TestWorld.number(DriverManager.getConnection(direct),
                            "select count(*) from message") == 2);
            network.forgetsAfter = "";
            network.forgetsConnections = false;
            assertThat(listedAtLast(spool)).containsExactly(tried, accepted);
            assertThat(spool.details(tried).orElseThrow().summary().attempts()).isEqualTo(1);
        }
        try (Spool spool = world.open(directory)) {
            assertThat(spool.counts().messages()).isEqualTo(2);
        }
    }

    @Test
    void withoutAWordFromTheOperatorAReadEndsAfterHalfAMinute() throws Exception {
        try (Connection connection = org.slipstream.spool.index.Connections.shared(direct)) {
            assertThat(connection.getNetworkTimeout()).isEqualTo(30_000);
        }
        try (Connection connection = org.slipstream.spool.index.Connections.shared(direct + "&socketTimeout=7")) {
            assertThat(connection.getNetworkTimeout()).isEqualTo(7_000);
        }
    }

    private static List<QueueId> listedAtLast(Spool spool) {
        return Awaitility.await().atMost(Duration.ofSeconds(90)).ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> spool.list(Optional.empty(), 10).stream().map(each -> each.summary().id()).toList(),
                        _ -> true);
    }

    /// The proxy between this process and the database.
    private static final class Network implements AutoCloseable {
        private final ServerSocket listener;
        private final int database;
        private final List<Socket> sockets = new CopyOnWriteArrayList<>();
        /// Connections that transmit something now are dead from here on; new ones are, too.
        volatile boolean forgetsConnections;
        /// A connection that carries this word to the database is dead behind it.
        volatile String forgetsAfter = "";

        Network(int database) throws IOException {
            this.database = database;
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            Thread.startVirtualThread(this::accept);
        }

        int port() {
            return listener.getLocalPort();
        }

        private void accept() {
            try {
                while (true) {
                    Socket client = listener.accept();
                    Socket server = new Socket(InetAddress.getLoopbackAddress(), database);
                    sockets.addAll(List.of(client, server));
                    boolean[] dead = new boolean[1];
                    Thread.startVirtualThread(() -> carry(client, server, dead, true));
                    Thread.startVirtualThread(() -> carry(server, client, dead, false));
                }
            } catch (IOException closed) {
                // The end of the test.
            }
        }

        private void carry(Socket from, Socket to, boolean[] dead, boolean questions) {
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                byte[] buffer = new byte[65_536];
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    String word = forgetsAfter;
                    synchronized (dead) {
                        dead[0] |= forgetsConnections;
                        if (!dead[0]) {
                            out.write(buffer, 0, read);
                        }
                        if (questions && !word.isEmpty()
                                && new String(buffer, 0, read, StandardCharsets.ISO_8859_1).contains(word)) {
                            dead[0] = true;
                            forgetsConnections = true;
                        }
                    }
                }
            } catch (IOException closed) {
                // The other end is not notified.
            }
        }

        @Override
        public void close() {
            try {
                listener.close();
                for (Socket socket : sockets) {
                    socket.close();
                }
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }
}
