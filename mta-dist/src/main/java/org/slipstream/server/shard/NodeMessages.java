package org.slipstream.server.shard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.cluster.BrokerOffice;
import org.slipstream.cluster.ClusterSettings;
import org.slipstream.cluster.wire.ClusterIdentity;
import org.slipstream.cluster.wire.NodeClient;
import org.slipstream.cluster.wire.NodePort;
import org.slipstream.config.Config;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.qmgr.journal.file.NodeText;
import org.slipstream.qmgr.shard.NodeReport.GrantsLeft;
import org.slipstream.server.operate.ShardCalls;
import org.slipstream.spool.DatabaseLost;
import org.slipstream.spool.postgres.LogDatabase;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// The part of a node that talks to the others: its port, its connections to theirs, and the limits of the
/// cluster. The port is taken when this is opened, and answers from [#start] on.
final class NodeMessages implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(NodeMessages.class);
    /// A monotonic clock.
    static final LongSupplier CLOCK_MILLIS = () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime());

    /// The kind of the messages about the time that grants have left.
    private static final String GRANTS = "grants";
    private static final Duration GRANTS_WAIT = Duration.ofSeconds(1);
    private static final Duration OPERATOR_WAITS = Duration.ofSeconds(5);

    private final NodePort port;
    private final NodeClient client;
    private final LogDatabase database;
    private final BrokerOffice office;
    private final ClusterLimits limits;
    private final String address;
    private final ShardExchange exchange;

    private NodeMessages(NodePort port, NodeClient client, LogDatabase database, String node, long start,
            boolean keepsHere, ShardExchange exchange) {
        this.port = port;
        this.client = client;
        this.exchange = exchange;
        this.database = database;
        this.address = text(port.address());
        this.office = new BrokerOffice(database, node, start, address);
        this.limits = new ClusterLimits(exchange, () -> keepsHere ? office.look().asIfJustEnded() : office.look(),
                client::ask, CLOCK_MILLIS);
    }

    /// Empty for a node that does not talk to others.
    ///
    /// @param start of this process, as the exchange knows it
    static Optional<NodeMessages> open(Config config, long start, ShardExchange exchange) throws IOException {
        ClusterSettings settings = config.cluster();
        if (settings.listen().isEmpty()) {
            log.warn("event=cluster-not-listening next=\"limits hold for each node alone; set cluster.listen\"");
            return Optional.empty();
        }
        Path file = settings.identity().orElseThrow(
                () -> new IOException("cluster.listen is set without cluster.identity, the key of the cluster"));
        ClusterIdentity identity = ClusterIdentity.read(config.home().resolve(file));
        NodePort port = NodePort.bind(settings.listen().get(), identity);
        try {
            return Optional.of(new NodeMessages(port, new NodeClient(identity),
                    LogDatabase.open(ShardCluster.database(config)), settings.node().orElseThrow(), start,
                    config.spool().databaseLost() == DatabaseLost.KEEP_HERE, exchange));
        } catch (SQLException silent) {
            port.close();
            throw new IOException("the database of the cluster does not answer: " + FailureWords.of(silent), silent);
        } catch (RuntimeException broken) {
            port.close();
            throw broken;
        }
    }

    /// Where other nodes reach this one.
    String address() {
        return address;
    }

    private static String text(InetSocketAddress where) {
        InetAddress host = where.getAddress();
        String name = host.getHostAddress();
        if (host.isAnyLocalAddress()) {
            try {
                name = InetAddress.getLocalHost().getHostAddress();
            } catch (IOException unknown) {
                log.warn("event=cluster-address-unknown error=\"{}\" next=\"set an address in cluster.listen\"",
                        LogText.text(FailureWords.of(unknown)));
            }
        }
        return (name.contains(":") ? "[" + name.replaceAll("%.*", "") + "]" : name) + ":" + where.getPort();
    }

    /// Answers other nodes from now on, and reports.
    ///
    /// @param shards answers questions to the shards of this node
    void start(NodePort.NodeService shards) throws IOException {
        try {
            office.prepare();
        } catch (SQLException silent) {
            throw new IOException("the database of the cluster does not answer: " + FailureWords.of(silent), silent);
        }
        port.serve(Map.of(ClusterLimits.SERVICE, limits::answer, ShardCalls.SERVICE, shards, GRANTS,
                _ -> NodeText.write(new GrantsLeft(exchange.grantMillis().orElse(0)))));
        limits.start();
    }

    /// Where the node is reached that divides the limits; empty when it is not known.
    String brokerAddress() {
        return limits.brokerAddress();
    }

    /// The reason why this node has no grants and starts nothing; empty when it has some.
    Optional<String> trouble() {
        return limits.trouble();
    }

    /// How long the grants of a node are good; empty when it does not answer.
    OptionalLong grantMillis(String of) {
        try {
            return of.equals(address)
                    ? exchange.grantMillis()
                    : OptionalLong.of(NodeText.read(client.ask(of, GRANTS, "{}", GRANTS_WAIT), GrantsLeft.class)
                            .millis());
        } catch (IOException | IllegalArgumentException silent) {
            log.debug("event=cluster-grants-unknown address={} error=\"{}\"", LogText.word(of),
                    LogText.text(FailureWords.of(silent)));
            return OptionalLong.empty();
        }
    }

    /// Asks another node for an operator, who waits.
    String ask(String address, String service, String message) throws IOException {
        return client.ask(address, service, message, OPERATOR_WAITS);
    }

    /// The deliveries have ended: the other nodes go on.
    @Override
    public void close() {
        limits.close();
        try {
            office.leave();
        } catch (SQLException silent) {
            log.debug("event=cluster-office-not-left error=\"{}\"", LogText.text(FailureWords.of(silent)));
        }
        port.close();
        client.close();
        database.close();
    }
}
