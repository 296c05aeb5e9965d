package org.slipstream.server.shard;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.cluster.BrokerOffice;
import org.slipstream.cluster.BrokerOffice.OfficeLook;
import org.slipstream.cluster.wire.NodeClient;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.qmgr.journal.file.NodeText;
import org.slipstream.qmgr.shard.GrantBroker;
import org.slipstream.qmgr.shard.NodeReport;
import org.slipstream.qmgr.shard.NodeReport.BrokerReply;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// The limits of a cluster, at one node: reports to the node that divides them, and divides them while this
/// node has that office.
///
/// Two threads, because a database that does not answer must not keep a report back: `cluster-office` renews the
/// office each second, or takes it; `cluster-limits` sends a report each second, and soon when there is something
/// to say. The node reports to itself in the same way, without the network.
final class ClusterLimits implements AutoCloseable {
    /// The kind of these messages.
    static final String SERVICE = "limits";
    private static final Logger log = LoggerFactory.getLogger(ClusterLimits.class);
    /// Twice in a second, so that a new office is known before grants of the former one end.
    private static final long LOOK_MILLIS = 500;
    private static final long REPORT_MILLIS = 1_000;
    private static final long URGENT_MILLIS = 50;
    private static final Duration ANSWER = Duration.ofSeconds(2);
    /// Of a node without grants: it has nothing to cut in time, and the first handshake of a process that has just
    /// started may take longer than two seconds. An exchange that was given up begins with another handshake.
    private static final Duration FIRST_ANSWER = Duration.ofSeconds(6);
    /// Less than the lease: another node may take the office after that.
    private static final long OFFICE_MILLIS = BrokerOffice.LEASE_MILLIS - BrokerOffice.SILENT_MILLIS;

    private final ShardExchange exchange;
    private final OfficeQuestion office;
    private final NodeQuestion nodes;
    private final LongSupplier clockMillis;
    private final Thread looks = Thread.ofPlatform().daemon().name("cluster-office").unstarted(this::look);
    private final Thread reports = Thread.ofPlatform().daemon().name("cluster-limits").unstarted(this::report);
    private volatile boolean closed;
    private volatile Optional<OfficeLook> latest = Optional.empty();
    private volatile Optional<String> trouble = Optional.empty();

    // Guarded by this.
    private @Nullable GrantBroker broker;
    private long brokerEpoch;
    private long renewedMillis;

    /// Renews or takes the office ([BrokerOffice#look]).
    @FunctionalInterface
    interface OfficeQuestion {
        OfficeLook look() throws SQLException;
    }

    /// Sends a message to another node ([NodeClient#ask]).
    @FunctionalInterface
    interface NodeQuestion {
        String ask(String address, String service, String message, Duration timeout) throws IOException;
    }

    /// @param clockMillis a monotonic clock, that of the exchange
    ClusterLimits(ShardExchange exchange, OfficeQuestion office, NodeQuestion nodes, LongSupplier clockMillis) {
        this.exchange = exchange;
        this.office = office;
        this.nodes = nodes;
        this.clockMillis = clockMillis;
    }

    void start() {
        looks.start();
        reports.start();
    }

    /// A report of another node.
    String answer(String message) {
        return NodeText.write(receive(NodeText.read(message, NodeReport.class)));
    }

    private synchronized BrokerReply receive(NodeReport report) {
        long now = clockMillis.getAsLong();
        if (broker == null || now - renewedMillis >= OFFICE_MILLIS) {
            throw new IllegalArgumentException("this node does not divide the limits");
        }
        return broker.receive(report, now, renewedMillis);
    }

    /// The lanes of all nodes, when this node divides them; empty elsewhere.
    synchronized List<GrantBroker.NodeLanes> accounts() {
        return broker == null ? List.of() : broker.accounts();
    }

    /// Where the node is reached that divides the limits; empty when it is not known.
    String brokerAddress() {
        return latest.map(OfficeLook::address).orElse("");
    }

    /// The reason why this node has no answer; empty when all is well.
    Optional<String> trouble() {
        return exchange.mayStart() ? Optional.empty() : trouble.or(() -> Optional.of("it has not answered yet"));
    }

    // ---- the office

    private void look() {
        while (!closed) {
            long sent = clockMillis.getAsLong();
            try {
                OfficeLook look = office.look();
                seen(look, sent);
            } catch (SQLException | RuntimeException silent) {
                log.debug("event=cluster-office-unknown error=\"{}\"", LogText.text(FailureWords.of(silent)));
                trouble = Optional.of("the database of the cluster does not answer");
            }
            pause(LOOK_MILLIS - (clockMillis.getAsLong() - sent));
        }
    }

    private void seen(OfficeLook look, long sentMillis) {
        synchronized (this) {
            if (!look.mine()) {
                broker = null;
            } else if (broker == null || brokerEpoch != look.epoch()) {
                broker = new GrantBroker(look.epoch(), look.sinceFormerMillis(), clockMillis.getAsLong());
                brokerEpoch = look.epoch();
                log.info("event=cluster-broker epoch={} next=\"this node divides the limits of the cluster\"",
                        look.epoch());
            }
            renewedMillis = sentMillis;
        }
        latest = Optional.of(look);
        exchange.brokerIs(look.epoch());
    }

    // ---- reports

    private void report() {
        long last = clockMillis.getAsLong() - REPORT_MILLIS;
        while (!closed) {
            exchange.timePasses();
            lostNodes();
            long now = clockMillis.getAsLong();
            if (now - last >= REPORT_MILLIS || exchange.isUrgent()) {
                last = now;
                send();
            }
            pause(URGENT_MILLIS);
        }
    }

    private void send() {
        Optional<OfficeLook> to = latest;
        Optional<NodeReport> report = to.isEmpty() ? Optional.empty() : exchange.report();
        if (report.isEmpty()) {
            return;
        }
        // This thread cuts the connections when the grants end, so a question must have ended before.
        OptionalLong untilCut = exchange.untilCutMillis();
        Duration limit = untilCut.isEmpty()
                ? FIRST_ANSWER
                : Duration.ofMillis(Math.clamp(untilCut.getAsLong(), 1, ANSWER.toMillis()));
        try {
            BrokerReply reply = to.get().mine()
                    ? receive(report.get())
                    : NodeText.read(nodes.ask(to.get().address(), SERVICE, NodeText.write(report.get()), limit),
                            BrokerReply.class);
            exchange.answered(reply);
            trouble = Optional.empty();
        } catch (IOException | RuntimeException silent) {
            String words = FailureWords.of(silent);
            if (trouble.isEmpty()) {
                log.warn("event=cluster-broker-silent address={} error=\"{}\" next=\"tried each second\"",
                        LogText.word(to.get().address()), LogText.text(words));
            }
            trouble = Optional.of(words);
        }
    }

    private synchronized void lostNodes() {
        // Reports that were not received while the office was in doubt say nothing about a node.
        if (broker != null && clockMillis.getAsLong() - renewedMillis < OFFICE_MILLIS) {
            broker.timePasses(clockMillis.getAsLong())
                    .forEach(node -> log.warn("event=cluster-node-silent node={} next=\"its lanes are free\"",
                            LogText.word(node)));
        }
    }

    private void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(Math.max(1, millis));
        } catch (InterruptedException stop) {
            closed = true;
        }
    }

    @Override
    public void close() {
        closed = true;
        looks.interrupt();
        reports.interrupt();
    }
}
