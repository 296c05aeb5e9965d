package org.slipstream.it.cluster;

import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.SteppedClock;
import org.slipstream.testkit.Folders;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.slipstream.it.fixture.MailAssert.eventually;

/// Nodes, three PostgreSQL, hosts that take mail, and clients, all on this machine.
///
/// Triggers in the database write down who claimed a shard and who wrote into its log, in the transaction of
/// the claim or the group itself, so the [HistoryCheck] need not believe the nodes. Others lead the messages
/// between nodes over paths that can fail.
final class FaultyCluster implements AutoCloseable {
    /// Connections of the whole cluster to one host.
    static final int LANES = 6;
    private static final int CLIENTS_OF_A_NODE = 4;
    private static final String TRIGGERS = """
            create schema faults;
            create table faults.claim (shard int, epoch bigint, owner text, app text);
            create table faults.writer (shard int, epoch bigint, app text, primary key (shard, epoch, app));
            create table faults.path (listens text primary key, reached_by text);
            create function faults.writes() returns trigger language plpgsql as $$
            begin
                if tg_op = 'INSERT' or new.epoch is distinct from old.epoch then
                    insert into faults.claim
                        values (new.number, new.epoch, new.owner, current_setting('application_name'));
                elsif new.segment is distinct from old.segment or new.length is distinct from old.length then
                    insert into faults.writer
                        values (new.number, new.epoch, current_setting('application_name')) on conflict do nothing;
                end if;
                return null;
            end $$;
            create trigger faults after insert or update on slipstream.shard
                for each row execute function faults.writes();
            create function faults.leads() returns trigger language plpgsql as $$
            begin
                new.address := coalesce((select reached_by from faults.path where listens = new.address), new.address);
                return new;
            end $$;
            create trigger faults before insert or update on slipstream.node
                for each row execute function faults.leads();
            create trigger faults before insert or update on slipstream.broker
                for each row execute function faults.leads();
            """;

    private final Path folder = PostgresServer.folder();
    private final PostgresTrio trio;
    private final MailHistory history = new MailHistory();
    private final Map<MailHistory.Host, HistorySink> hosts = new EnumMap<>(MailHistory.Host.class);
    private final List<NodeProcess> nodes = new ArrayList<>();
    private final WaitingMail waiting = new WaitingMail();
    private final SendingClients clients;

    /// A shard and the term of one owner.
    record Term(int shard, long epoch) {}

    /// @param homes folder for the homes of the nodes
    /// @param paceNanos between two messages of one client
    /// @param ownDisks each PostgreSQL has small disks that can be filled
    /// @param ownClock the clock of the last node can be wrong, where libfaketime is installed
    FaultyCluster(Path homes, int count, long paceNanos, boolean ownDisks, boolean ownClock) {
        trio = new PostgresTrio(folder, ownDisks);
        clients = new SendingClients(history, paceNanos);
        trio.start();
        for (MailHistory.Host host : MailHistory.Host.values()) {
            hosts.put(host, new HistorySink(history, host));
        }
        Settings settings = settings(identity(homes));
        for (int i = 0; i < count; i++) {
            String name = String.valueOf((char) ('a' + i));
            Optional<SteppedClock> clock = ownClock && i == count - 1 && SteppedClock.isInstalled()
                    ? Optional.of(new SteppedClock(homes))
                    : Optional.empty();
            nodes.add(new NodeProcess(name, homes.resolve(name), settings, trio.servers(), clock));
        }
        nodes.getFirst().start();
        instrument();
        nodes.stream().skip(1).forEach(NodeProcess::start);
        eventually().until(this::isOwned);
    }

    /// @param waitingMessages that are accepted first, and wait until the end
    void startClients(int waitingMessages) {
        waiting.load(nodes, waitingMessages);
        nodes.forEach(node -> clients.sendTo(node, CLIENTS_OF_A_NODE));
    }

    WaitingMail waiting() {
        return waiting;
    }

    private Settings settings(Path identity) {
        Settings settings = Settings.quick().set("spool.engine", "postgresql")
                .set("cluster.identity", identity.toString()).set("spool.inline-size", "64KiB")
                .set("queue.lanes-per-destination", String.valueOf(LANES));
        for (Map.Entry<MailHistory.Host, HistorySink> host : hosts.entrySet()) {
            settings = settings.route(host.getKey().domain(), "smtp:127.0.0.1:" + host.getValue().port());
        }
        // A million of them each second would leave nothing for the faults.
        return settings.route(WaitingMail.DOMAIN, waiting.route()).set("retry.slow.kind", "list")
                .set("retry.slow.pauses", "2h").set("retry.slow.jitter", "100%")
                .set("destination.\"" + WaitingMail.DOMAIN + "\".retry", "slow");
    }

    private static Path identity(Path homes) {
        try {
            Path key = homes.resolve("cluster.key");
            Path certificate = homes.resolve("cluster.crt");
            ProgramRun.of("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "3650", "-subj", "/CN=cluster", "-keyout", key.toString(), "-out", certificate.toString())
                    .mustSucceed();
            return Files.writeString(homes.resolve("cluster.pem"),
                    Files.readString(certificate) + Files.readString(key));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The first node has made the tables.
    private void instrument() {
        try (Connection connection = trio.primary().connect(); Statement statement = connection.createStatement()) {
            statement.execute(TRIGGERS);
            statement.execute("insert into faults.claim select number, epoch, owner, 'a.1' from slipstream.shard");
            for (NodeProcess node : nodes) {
                statement.execute("insert into faults.path values ('" + node.listens() + "', '" + node.reachedBy()
                        + "')");
            }
            // The first node has written its address already.
            statement.execute("update slipstream.node set address = address;"
                    + " update slipstream.broker set address = address");
        } catch (SQLException e) {
            throw new IllegalStateException("no triggers", e);
        }
    }

    PostgresTrio trio() {
        return trio;
    }

    MailHistory history() {
        return history;
    }

    List<NodeProcess> nodes() {
        return nodes;
    }

    Map<MailHistory.Host, HistorySink> hosts() {
        return hosts;
    }

    /// The node is frozen.
    void isLost(NodeProcess node) {
        Set<Integer> ports = node.ports();
        hosts.values().forEach(host -> host.isLost(ports));
    }

    /// Owners of the shards whose leases run.
    List<String> owners() {
        try (Connection connection = trio.primary().connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select case when lease_until > clock_timestamp()"
                        + " then coalesce(owner, '') else '' end from slipstream.shard")) {
            List<String> owners = new ArrayList<>();
            while (rows.next()) {
                owners.add(rows.getString(1));
            }
            return owners;
        } catch (SQLException e) {
            return List.of("");
        }
    }

    /// Each shard has an owner, and each node a shard.
    boolean isOwned() {
        List<String> owners = owners();
        return !owners.contains("") && owners.containsAll(nodes.stream().map(NodeProcess::name).toList());
    }

    /// Everything that failed goes on.
    void heal() {
        trio.heal();
        nodes.forEach(NodeProcess::heal);
    }

    /// Whether each node has acknowledged a message that began after this moment, and a later message of it has
    /// its outcome.
    boolean worksSince(long nanos) {
        return nodes.stream().allMatch(node -> history.workedSince(node.name(), nanos));
    }

    /// Messages that all nodes are responsible for.
    long queued() {
        return nodes.stream().filter(node -> node.server().isAlive())
                .mapToLong(node -> Queue.of(node.server()).size()).sum();
    }

    /// Recipients that a node still has, of the first thousand messages of each node.
    Set<String> queuedRecipients() {
        return nodes.stream().map(node -> Queue.of(node.server())).flatMap(queue -> queue.messages().stream()
                .flatMap(message -> queue.find(message.path("id").asString()).stream()))
                .flatMap(message -> message.path("recipients").valueStream())
                .filter(recipient -> recipient.path("state").asString().equals("open"))
                .map(recipient -> recipient.path("address").asString()).collect(Collectors.toSet());
    }

    void stopClients() {
        clients.close();
    }

    /// Claims of shards, as the database saw them.
    Map<Term, List<String>> claims() {
        return terms("select shard, epoch, app from faults.claim");
    }

    /// The lives of nodes that wrote into a log.
    Map<Term, List<String>> writers() {
        return terms("select shard, epoch, app from faults.writer");
    }

    private Map<Term, List<String>> terms(String query) {
        try (Connection connection = trio.primary().connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            Map<Term, List<String>> terms = new HashMap<>();
            while (rows.next()) {
                terms.computeIfAbsent(new Term(rows.getInt(1), rows.getLong(2)), _ -> new ArrayList<>())
                        .add(rows.getString(3));
            }
            return terms;
        } catch (SQLException e) {
            throw new IllegalStateException("the database does not tell its history", e);
        }
    }

    /// Lines of the log of each node, with its name in front.
    List<String> log() {
        return nodes.stream().flatMap(node -> node.server().log().lines().map(line -> node.name() + " " + line))
                .toList();
    }

    String listing() {
        return Stream.concat(trio.servers().stream().map(each -> each.name() + " on port " + each.port()),
                nodes.stream().map(NodeProcess::lifeName)).collect(Collectors.joining(", "));
    }

    @Override
    public void close() {
        clients.close();
        nodes.forEach(NodeProcess::close);
        hosts.values().forEach(HistorySink::close);
        waiting.close();
        trio.close();
        try {
            Folders.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
